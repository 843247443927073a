// SPDX-License-Identifier: MIT

internal import CReach
internal import CReachInternal
internal import NetworkReachability

/// An engine of the C core; a ``SimulatedHost`` answers its requests.
@safe
struct SimulatedEngine: ~Copyable {
    private let engine: OpaquePointer

    /// Creates an engine; nil if memory ran out.
    init?() {
        var created: OpaquePointer?
        guard unsafe reach_engine_create(&created) == 0, let created = unsafe created else {
            return nil
        }
        unsafe engine = created
    }

    deinit {
        unsafe reach_engine_destroy(engine)
    }

    /// Adds a target and returns its id; nil if the target is invalid.
    func add(_ target: ReachabilityTarget) -> UInt64? {
        var id: UInt64 = 0
        let result = unsafe target.withCValue { unsafe reach_engine_add(engine, $0, &id) }
        return result == 0 ? id : nil
    }

    /// Replaces the list of facts by a single entry.
    func setFacts(_ facts: InterfaceFacts?) {
        guard var facts else { return }
        _ = unsafe reach_engine_set_facts(engine, &facts, 1)
    }

    /// Passes the resolver's answer to the engine.
    func resolve(_ id: UInt64, to addresses: [NetworkAddress]) {
        let list = addresses.map(\.cValue)
        _ = unsafe reach_engine_resolved(engine, id, list, list.count)
    }

    /// Passes the resolver's failure to the engine.
    func failResolution(_ id: UInt64, _ error: ReachabilityErrno) {
        _ = unsafe reach_engine_resolution_failed(engine, id, -error.rawValue)
    }

    /// Answers the engine's requests until there are none.
    func run(on host: SimulatedHost) {
        var words = [UInt32](repeating: 0, count: Int(REACH_REQUESTS_SIZE) / 4)
        while true {
            giveEvidence(of: host)
            var written = 0
            let result = unsafe reach_engine_requests(
                engine, &words, Int(REACH_REQUESTS_SIZE), &written)
            guard result == 0, written > 0 else { return }
            let batch = unsafe words.withUnsafeBytes { unsafe Array($0.prefix(written)) }
            for answer in RouteMessage.split(batch).flatMap(host.answers) {
                _ = unsafe reach_engine_answers(engine, answer, answer.count)
            }
        }
    }

    /// Passes the sysfs evidence that distinguishes Wi-Fi from Ethernet.
    private func giveEvidence(of host: SimulatedHost) {
        while true {
            let index = unsafe reach_engine_wants_evidence(engine)
            guard index != 0 else { return }
            let isWireless =
                index == host.interface.index && host.interface.interfaceClass == .wifi
            _ = unsafe reach_engine_set_evidence(engine, index, "", "", isWireless ? 1 : 0)
        }
    }

    /// The state of a target; nil while an answer is missing.
    func snapshot(of id: UInt64) -> ReachabilitySnapshot? {
        var state = reach_state()
        state.size = MemoryLayout<reach_state>.size
        guard unsafe reach_engine_state(engine, id, &state) == 0 else { return nil }
        return ReachabilitySnapshot(state)
    }
}
