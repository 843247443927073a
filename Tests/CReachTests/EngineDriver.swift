// SPDX-License-Identifier: MIT
import CReach
import CReachInternal

/// An engine whose requests are answered from a recording, as the recorded machine's kernel would.
///
/// Dumps are answered with the recorded messages. Lookups find no route, and requests for a
/// single link find none.
@safe struct EngineDriver: ~Copyable {
    struct Failure: Error {
        let call: String
        let result: Int32
    }

    /// Types and flags of linux/netlink.h and linux/rtnetlink.h.
    private enum Netlink {
        static let error: UInt16 = 2
        static let done: UInt16 = 3
        static let multi: UInt16 = 2
        static let dump: UInt16 = 0x300
        static let getLink: UInt16 = 18
        static let getRoute: UInt16 = 26
        static let noDevice: Int32 = -19
        static let networkUnreachable: Int32 = -101
    }

    private let engine: OpaquePointer
    private let messages: [[UInt8]]

    /// The kernel's answer to a lookup, except for its sequence number; nil for no route.
    var route: ((_ request: [UInt8]) -> [UInt8])?

    /// - Parameter recording: the datagrams of a dump.
    /// - Throws: ``Failure`` if there is no memory.
    init(recording: [[UInt8]]) throws {
        unsafe self.init(engine: try Self.makeEngine(), recording)
    }

    private init(engine: OpaquePointer, _ recording: [[UInt8]]) {
        unsafe self.engine = engine
        messages = recording.flatMap(Self.split)
    }

    private static func makeEngine() throws -> OpaquePointer {
        var created: OpaquePointer?
        let result = unsafe reach_engine_create(&created)
        guard let engine = unsafe created, result == 0 else {
            throw Failure(call: "reach_engine_create", result: result)
        }
        return unsafe engine
    }

    deinit {
        unsafe reach_engine_destroy(engine)
    }

    /// Answers requests until the engine has none.
    func settle() throws {
        for _ in 0..<100 {
            let requests = try requests()
            guard !requests.isEmpty else { return }
            for request in Self.split(requests) {
                for answer in answers(to: request) {
                    try unsafe check("reach_engine_answers") { engine in
                        unsafe reach_engine_answers(engine, answer, answer.count)
                    }
                }
            }
            let pending = unsafe reach_engine_pending(engine)
            guard pending == 0 else {
                throw Failure(call: "reach_engine_pending", result: Int32(clamping: pending))
            }
        }
        throw Failure(call: "reach_engine_requests never ends", result: 0)
    }

    /// Adds an address target.
    @discardableResult
    func add(_ address: String) throws -> UInt64 {
        var target = unsafe reach_target()
        unsafe reach_target_init(&target, .REACH_TARGET_ADDRESS)
        let result = unsafe reach_address_parse(address, &target.remote)
        guard result == 0 else { throw Failure(call: "reach_address_parse", result: result) }
        return try unsafe add(&target)
    }

    /// Adds a target for local Wi-Fi.
    func addLocalWiFi() throws -> UInt64 {
        var target = unsafe reach_target()
        unsafe reach_target_init(&target, .REACH_TARGET_LOCAL_WIFI)
        return try unsafe add(&target)
    }

    private func add(_ target: inout reach_target) throws -> UInt64 {
        var id: UInt64 = 0
        try unsafe check("reach_engine_add") { engine in
            unsafe reach_engine_add(engine, &target, &id)
        }
        return id
    }

    /// The state of a target.
    func state(_ id: UInt64) throws -> reach_state {
        var state = reach_state()
        state.size = MemoryLayout<reach_state>.size
        try unsafe check("reach_engine_state") { engine in
            unsafe reach_engine_state(engine, id, &state)
        }
        return state
    }

    /// Makes the engine look up every target again.
    func refresh() {
        unsafe reach_engine_refresh(engine)
    }

    /// Sets the engine's time, in milliseconds.
    func clock(_ milliseconds: Int64) {
        unsafe reach_engine_clock(engine, milliseconds * 1_000_000)
    }

    /// The engine's next deadline, in milliseconds; nil for none.
    var deadline: Int64? {
        let deadline = unsafe reach_engine_deadline(engine)
        return deadline == .max ? nil : deadline / 1_000_000
    }

    /// Passes a datagram of multicast events to the engine.
    func hear(_ datagram: [UInt8]) throws {
        try unsafe check("reach_engine_events") { engine in
            unsafe reach_engine_events(engine, datagram, datagram.count)
        }
    }

    /// Calls `tell` for each interface whose evidence the engine wants, and passes on the result.
    func giveEvidence(_ tell: (UInt32) -> Evidence?) throws {
        while true {
            let index = unsafe reach_engine_wants_evidence(engine)
            guard index != 0 else { return }
            let evidence = tell(index)
            try unsafe check("reach_engine_set_evidence") { engine in
                unsafe reach_engine_set_evidence(
                    engine, index, evidence?.devtype, evidence?.driver,
                    evidence?.isWireless == true ? 1 : 0)
            }
        }
    }

    /// All interfaces, in the order of their indices.
    func interfaces() throws -> [reach_interface] {
        var found: [reach_interface] = []
        var next = reach_interface()
        next.size = MemoryLayout<reach_interface>.size
        while unsafe reach_engine_interface(engine, next.index, &next) == 1 {
            found.append(next)
        }
        return found
    }

    private func check(_ call: String, _ body: (OpaquePointer) -> Int32) throws {
        let result = unsafe body(engine)
        guard result == 0 else { throw Failure(call: call, result: result) }
    }

    func requests() throws -> [UInt8] {
        var words = [UInt32](repeating: 0, count: Int(REACH_REQUESTS_SIZE) / 4)
        var written = 0
        try unsafe check("reach_engine_requests") { engine in
            unsafe reach_engine_requests(engine, &words, Int(REACH_REQUESTS_SIZE), &written)
        }
        var bytes: [UInt8] = []
        for word in words.prefix((written + 3) / 4) {
            bytes.append(word: word)
        }
        return Array(bytes.prefix(written))
    }

    /// Answers a dump of type GETx with messages of type NEWx, whose number is two less.
    private func answers(to request: [UInt8]) -> [[UInt8]] {
        let type = request.half(at: 4)
        let sequence = request.word(at: 8)
        guard request.half(at: 6) & Netlink.dump == Netlink.dump else {
            if let route, type == Netlink.getRoute {
                var answer = route(request)
                answer.replace(wordAt: 8, with: sequence)
                return [answer]
            }
            let error =
                type == Netlink.getLink ? Netlink.noDevice : Netlink.networkUnreachable
            return [Self.message(Netlink.error, sequence, error, request.prefix(16))]
        }
        var dump = messages.filter { $0.half(at: 4) == type - 2 }
        for index in dump.indices {
            dump[index].replace(wordAt: 8, with: sequence)
        }
        return dump + [Self.message(Netlink.done, sequence, 0, [])]
    }

    private static func message(
        _ type: UInt16, _ sequence: UInt32, _ error: Int32, _ rest: ArraySlice<UInt8>
    ) -> [UInt8] {
        let flags = type == Netlink.done ? Netlink.multi : 0
        var bytes: [UInt8] = []
        bytes.append(word: UInt32(20 + rest.count))
        bytes.append(word: UInt32(type) | UInt32(flags) << 16)
        bytes.append(word: sequence)
        bytes.append(word: 0)
        bytes.append(word: UInt32(bitPattern: error))
        return bytes + rest
    }

    /// The netlink messages of a datagram.
    private static func split(_ datagram: [UInt8]) -> [[UInt8]] {
        var rest = datagram[...]
        var messages: [[UInt8]] = []
        while rest.count >= 16 {
            let length = Int(rest.word(at: 0))
            guard length >= 16, length <= rest.count else { break }
            messages.append([UInt8](rest.prefix(length)))
            rest = rest.dropFirst((length + 3) & ~3)
        }
        return messages
    }
}

/// Evidence from sysfs about the class of an interface; empty for a missing file.
struct Evidence {
    var devtype = ""
    var driver = ""
    var isWireless = false
}
