// SPDX-License-Identifier: MIT

internal import CReach
internal import Foundation

/// The owner of a C monitor.
///
/// One thread at a time may use it: keep it in a `Mutex`.
@safe
struct Monitor: ~Copyable {
    private let monitor: OpaquePointer

    /// A monitor in the calling thread's network namespace.
    init(_ resolver: Resolver?) throws(StatusError) {
        var opened: OpaquePointer?
        var options = unsafe reach_monitor_options()
        unsafe reach_monitor_options_init(&options)
        unsafe resolver?.configure(&options)
        try unsafe StatusError.check(reach_monitor_open(&opened, &options))
        guard let opened = unsafe opened else { throw StatusError(status: ENOMEM) }
        unsafe monitor = opened
    }

    deinit {
        unsafe reach_monitor_close(monitor)
    }

    /// Belongs to the monitor.
    var descriptor: CInt {
        unsafe reach_monitor_fd(monitor)
    }

    func dispatch() throws(StatusError) {
        try unsafe StatusError.check(reach_monitor_dispatch(monitor))
    }

    func next() throws(StatusError) -> (id: UInt64, state: PathState)? {
        var change = reach_change()
        change.size = MemoryLayout<reach_change>.size
        guard try unsafe StatusError.check(reach_monitor_next(monitor, &change)) == 1 else {
            return nil
        }
        return (change.target, PathState(change.state))
    }

    /// Adds a target and asks for its state.
    ///
    /// Changes of others may be queued afterwards.
    func add(_ endpoint: Endpoint) throws(StatusError) -> (id: UInt64, state: PathState) {
        var id: UInt64 = 0
        try unsafe StatusError.check(
            endpoint.withCValue { unsafe reach_monitor_add(monitor, $0, &id) })
        do throws(StatusError) {
            return (id, try settle(id))
        } catch {
            remove(id)
            throw error
        }
    }

    /// An unknown id means that the target is gone already.
    func remove(_ id: UInt64) {
        _ = unsafe reach_monitor_remove(monitor, id)
    }

    private func settle(_ id: UInt64) throws(StatusError) -> PathState {
        var state = reach_state()
        state.size = MemoryLayout<reach_state>.size
        while true {
            try dispatch()
            let result = unsafe reach_monitor_state(monitor, id, &state)
            guard result == -EAGAIN else {
                try StatusError.check(result)
                return PathState(state)
            }
            // Under a storm a dispatch may end before it has asked; the descriptor stays readable.
            var poll = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            _ = unsafe Foundation.poll(&poll, 1, -1)
        }
    }

    /// Answers once, in the calling thread's network namespace, and never waits for a resolver: a name
    /// stands for the default path.
    static func check(_ endpoint: Endpoint) throws(StatusError) -> PathState {
        var state = reach_state()
        state.size = MemoryLayout<reach_state>.size
        var options = unsafe reach_monitor_options()
        unsafe reach_monitor_options_init(&options)
        let asked = endpoint.isName ? Endpoint.defaultPath : endpoint
        let result = unsafe "".withCString { none in
            // Only names need what is in /etc.
            unsafe options.etc_root = none
            return unsafe asked.withCValue { unsafe reach_check($0, &options, 0, &state) }
        }
        try StatusError.check(result)
        return PathState(state)
    }
}
