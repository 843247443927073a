// SPDX-License-Identifier: MIT
import CReach
import CTestSupport
import Glibc
import Testing

/// A monitor of a namespace, with functions that wait for its next change.
@safe final class Watcher {
    /// How long an event may take, in seconds, before a test fails.
    ///
    /// A test that passes never waits this long.
    static let patience = 15.0

    struct Change: CustomStringConvertible {
        let target: UInt64
        let state: State
        var description: String { "target \(target): \(state)" }
    }

    struct Silence: Error, CustomStringConvertible {
        let description: String
    }

    private let namespace: Namespace
    private let monitor: OpaquePointer
    private var backlog: [Change] = []
    private(set) var published: [UInt64: State] = [:]
    private var marker: (target: UInt64, isUp: Bool)?

    /// Opens a monitor as the user `uid`; 0 is the user who runs the tests.
    init(_ namespace: Namespace, receiveBuffer: UInt32 = 0, uid: uid_t = 0) throws {
        var options = unsafe reach_monitor_options()
        unsafe reach_monitor_options_init(&options)
        unsafe options.receive_buffer = receiveBuffer
        // Only root may enter a namespace. For another user, test_netns_run() enters it first.
        if uid == 0 { unsafe options.netns_fd = namespace.descriptor }
        var opening = unsafe Opening(options: options)
        let result = unsafe test_netns_run(
            uid == 0 ? -1 : namespace.descriptor, uid,
            { context in
                guard let opening = unsafe context?.assumingMemoryBound(to: Opening.self) else {
                    return -EINVAL
                }
                return unsafe reach_monitor_open(&opening.pointee.monitor, &opening.pointee.options)
            }, &opening)
        try SystemFailure.check("reach_monitor_open", result)
        guard let opened = unsafe opening.monitor else {
            throw SystemFailure(doing: "reach_monitor_open", code: EINVAL)
        }
        unsafe monitor = opened
        self.namespace = namespace
    }

    @safe private struct Opening {
        var options: reach_monitor_options
        var monitor: OpaquePointer?
    }

    deinit {
        unsafe reach_monitor_close(monitor)
    }

    var descriptor: CInt { unsafe reach_monitor_fd(monitor) }

    @discardableResult
    func add(_ target: Target) throws -> UInt64 {
        var id: UInt64 = 0
        try unsafe target.withC { target in
            _ = try SystemFailure.check(
                "reach_monitor_add", unsafe reach_monitor_add(monitor, &target, &id))
        }
        return id
    }

    /// Adds a target and takes its first state.
    @discardableResult
    func add(
        _ target: Target, expecting flags: Flags, reason: String? = "",
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> UInt64 {
        let id = try add(target)
        try expect(id, flags, reason: reason, sourceLocation: sourceLocation)
        return id
    }

    func remove(_ id: UInt64) throws {
        try SystemFailure.check("reach_monitor_remove", unsafe reach_monitor_remove(monitor, id))
    }

    func state(_ id: UInt64) throws -> State {
        var state = reach_state()
        state.size = MemoryLayout<reach_state>.size
        try SystemFailure.check(
            "reach_monitor_state", unsafe reach_monitor_state(monitor, id, &state))
        return State(state)
    }

    func stats() throws -> reach_stats {
        var stats = reach_stats()
        stats.size = MemoryLayout<reach_stats>.size
        try SystemFailure.check("reach_monitor_stats", unsafe reach_monitor_stats(monitor, &stats))
        return stats
    }

    /// Dispatches once and keeps the changes.
    func dispatch() throws {
        try SystemFailure.check("reach_monitor_dispatch", unsafe reach_monitor_dispatch(monitor))
        var change = unsafe reach_change()
        unsafe change.size = MemoryLayout<reach_change>.size
        while try SystemFailure.check(
            "reach_monitor_next", unsafe reach_monitor_next(monitor, &change)) == 1
        {
            take(unsafe Change(target: change.id, state: State(change.state)))
        }
    }

    /// Keeps a change, which must differ from the target's last published state.
    private func take(_ change: Change) {
        if let last = published.updateValue(change.state, forKey: change.target) {
            #expect(change.state.differs(from: last), "\(change) was published before")
        }
        backlog.append(change)
    }

    /// Dispatches while the descriptor is readable, and forgets the changes.
    func settle() throws {
        let deadline = monotonicSeconds() + Watcher.patience
        repeat {
            try dispatch()
            guard monotonicSeconds() < deadline else {
                throw Silence(description: "the descriptor never stopped being readable")
            }
        } while waitReadable(descriptor, until: 0)
        backlog = []
    }

    /// Dispatches until no timer of the monitor is running, so all delayed lookups are done.
    func awaitRest() throws {
        let deadline = monotonicSeconds() + Watcher.patience
        // What an expiry causes may start another timer.
        try settle()
        // It may expire before it is looked at.
        while try isTimed() || waitReadable(descriptor, until: 0) {
            guard waitReadable(descriptor, until: deadline) else {
                throw Silence(description: "the monitor's timer never comes to rest")
            }
            try settle()
        }
    }

    /// Whether a timer of the monitor is running.
    ///
    /// The kernel lists the descriptors that an epoll instance watches, and the time when a timer
    /// expires (proc_pid_fdinfo(5)).
    private func isTimed() throws -> Bool {
        let watched = try Self.information(descriptor).matches(of: /tfd: +(\d+)/)
        return try watched.contains { match in
            let timer = try Self.information(CInt(match.1) ?? -1)
            return timer.contains("clockid: 1\n") && !timer.contains("it_value: (0, 0)")
        }
    }

    private static func information(_ descriptor: CInt) throws -> String {
        let path = "/proc/self/fdinfo/\(descriptor)"
        let file = unsafe open(path, O_RDONLY | O_CLOEXEC)
        try SystemFailure.check(path, file < 0 ? -errno : file)
        defer { close(file) }
        var bytes = [UInt8](repeating: 0, count: 4096)
        let count = unsafe read(file, &bytes, bytes.count)
        return String(decoding: bytes.prefix(max(count, 0)), as: UTF8.self)
    }

    /// The next change of a target, dispatching as events come; nil if none comes in time.
    func next(_ id: UInt64, within seconds: Double = patience) throws -> Change? {
        let deadline = monotonicSeconds() + seconds
        while true {
            if let position = backlog.firstIndex(where: { $0.target == id }) {
                return backlog.remove(at: position)
            }
            guard waitReadable(descriptor, until: deadline) else { return nil }
            try dispatch()
        }
    }

    /// Waits for the next change of a target, which must have these flags.
    ///
    /// A reason of nil matches any reason.
    @discardableResult
    func expect(
        _ id: UInt64, _ flags: Flags, reason: String? = "", on interface: String? = nil,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> State {
        guard let change = try next(id) else {
            let state = try self.state(id)
            throw Silence(
                description: "\(sourceLocation): no change of target \(id) to \(flags); "
                    + "it is \(state)")
        }
        let state = change.state
        #expect(state.flags == flags, "\(state)", sourceLocation: sourceLocation)
        if let reason {
            #expect(state.reason == reason, "\(state)", sourceLocation: sourceLocation)
        }
        if let interface {
            #expect(state.interfaceName == interface, "\(state)", sourceLocation: sourceLocation)
        }
        return state
    }

    /// Waits until a target's state is as wanted, whatever changes lead there.
    func expectSoon(
        _ id: UInt64, sourceLocation: SourceLocation = #_sourceLocation,
        _ isWanted: (State) -> Bool
    ) throws {
        let deadline = monotonicSeconds() + Watcher.patience
        var state: State?
        repeat {
            try dispatch()
            backlog.removeAll { $0.target == id }
            state = try? self.state(id)
            if let state, isWanted(state) { return }
        } while waitReadable(descriptor, until: deadline) && monotonicSeconds() < deadline
        let last = state.map(\.description) ?? "unknown"
        throw Silence(description: "\(sourceLocation): target \(id) stays \(last)")
    }

    /// Checks that no change is outstanding.
    ///
    /// Adds or deletes a marker, a local address of lo, whose change must be the next one.
    func expectNoChange(sourceLocation: SourceLocation = #_sourceLocation) throws {
        let address = "198.51.100.77"
        var marker = try self.marker ?? (try add(.address(address)), false)
        if self.marker == nil { _ = try next(marker.target) }
        marker.isUp.toggle()
        try namespace.ip("route \(marker.isUp ? "add" : "del") local \(address) dev lo")
        self.marker = marker
        // An earlier change of the path to the marker may come first.
        repeat {
            guard try next(marker.target) != nil else {
                throw Silence(description: "\(sourceLocation): the marker's change did not come")
            }
        } while try state(marker.target).flags.contains(.local) != marker.isUp
        #expect(backlog.isEmpty, "\(backlog)", sourceLocation: sourceLocation)
    }
}

/// The state that `reach_check()` returns.
func check(_ target: Target, in namespace: Namespace) throws -> State {
    var options = unsafe reach_monitor_options()
    unsafe reach_monitor_options_init(&options)
    unsafe options.netns_fd = namespace.descriptor
    var state = reach_state()
    state.size = MemoryLayout<reach_state>.size
    try unsafe target.withC { target in
        _ = try SystemFailure.check("reach_check", unsafe reach_check(&target, &options, 0, &state))
    }
    return State(state)
}
