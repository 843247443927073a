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

/// An rtnetlink message under construction (linux/netlink.h, linux/rtnetlink.h).
struct RouteMessage {
    /// Message types.
    enum Kind {
        static let error: UInt16 = 2
        static let done: UInt16 = 3
        static let newLink: UInt16 = 16
        static let getLink: UInt16 = 18
        static let newAddress: UInt16 = 20
        static let getAddress: UInt16 = 22
        static let newRoute: UInt16 = 24
        static let getRoute: UInt16 = 26
    }

    private(set) var bytes: [UInt8]

    /// Creates a message with the fixed part `body`.
    init(_ kind: UInt16, _ body: [UInt8]) {
        bytes = Self.bytes(of: UInt32(0)) + Self.bytes(of: kind) + [0, 0]
        bytes += [UInt8](repeating: 0, count: 8) + body
        finish()
    }

    /// Appends an attribute, padded to 4 bytes.
    mutating func append(_ attribute: UInt16, _ data: [UInt8]) {
        bytes += Self.bytes(of: UInt16(4 + data.count)) + Self.bytes(of: attribute) + data
        while !bytes.count.isMultiple(of: 4) { bytes.append(0) }
        finish()
    }

    /// The message with the sequence number of `request`, which it answers; `multi` marks it as part of a dump.
    func answering(_ request: [UInt8], multi: Bool = false) -> [UInt8] {
        var answer = bytes
        answer[6] = multi ? 2 : 0
        answer.replaceSubrange(8..<12, with: request[8..<12])
        return answer
    }

    private mutating func finish() {
        bytes.replaceSubrange(0..<4, with: Self.bytes(of: UInt32(bytes.count)))
    }

    /// A number in the machine's byte order.
    static func bytes<Number: FixedWidthInteger>(of number: Number) -> [UInt8] {
        unsafe withUnsafeBytes(of: number) { unsafe Array($0) }
    }

    /// The number at an offset, in the machine's byte order.
    static func number<Number: FixedWidthInteger>(
        _ type: Number.Type, in bytes: [UInt8], at offset: Int
    )
        -> Number
    {
        unsafe bytes.withUnsafeBytes {
            unsafe $0.loadUnaligned(fromByteOffset: offset, as: type)
        }
    }

    /// The messages of a batch.
    static func split(_ batch: [UInt8]) -> [[UInt8]] {
        var messages: [[UInt8]] = []
        var start = 0
        while start + 16 <= batch.count {
            let length = Int(number(UInt32.self, in: batch, at: start))
            guard length >= 16, start + length <= batch.count else { break }
            messages.append(Array(batch[start..<start + length]))
            start += (length + 3) & ~3
        }
        return messages
    }

    /// The attributes of a message whose fixed part has `size` bytes.
    static func attributes(of message: [UInt8], after size: Int) -> [UInt16: [UInt8]] {
        var found: [UInt16: [UInt8]] = [:]
        var start = 16 + size
        while start + 4 <= message.count {
            let length = Int(number(UInt16.self, in: message, at: start))
            guard length >= 4, start + length <= message.count else { break }
            found[number(UInt16.self, in: message, at: start + 2)] =
                Array(message[start + 4..<start + length])
            start += (length + 3) & ~3
        }
        return found
    }
}
