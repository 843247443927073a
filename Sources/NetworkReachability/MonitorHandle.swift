// SPDX-License-Identifier: MIT

internal import CReach

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

/// The owner of a C monitor.
///
/// One thread at a time may use it: keep it in a `Mutex`.
@safe
package struct MonitorHandle: ~Copyable {
    private let monitor: OpaquePointer
    private let options: MonitorOptions

    package init(
        namespace: NetworkNamespace, options: MonitorOptions = .standard
    ) throws(ReachabilityError) {
        try self.init(OpenNamespace(namespace), of: namespace, options: options)
    }

    init(
        _ open: borrowing OpenNamespace, of namespace: NetworkNamespace, options: MonitorOptions
    ) throws(ReachabilityError) {
        var opened: OpaquePointer?
        do throws(Errno) {
            try unsafe Errno.check(
                options.withCValue(namespace: open.descriptor) {
                    unsafe reach_monitor_open(&opened, $0)
                })
        } catch {
            throw .monitor(error, in: open.isCallers ? .current : namespace)
        }
        guard let opened = unsafe opened else { throw .monitor(.outOfMemory, in: namespace) }
        unsafe monitor = opened
        self.options = options
    }

    deinit {
        unsafe reach_monitor_close(monitor)
        options.onClose?()
    }

    /// Belongs to the monitor.
    package var descriptor: CInt {
        unsafe reach_monitor_fd(monitor)
    }

    package func dispatch() throws(Errno) -> Bool {
        if let error = options.fault?() { throw error }
        return try unsafe Errno.check(reach_monitor_dispatch(monitor)) == 1
    }

    package func next() throws(Errno) -> (id: UInt64, snapshot: ReachabilitySnapshot)? {
        var change = reach_change()
        change.size = MemoryLayout<reach_change>.size
        guard try unsafe Errno.check(reach_monitor_next(monitor, &change)) == 1 else { return nil }
        return (change.target, ReachabilitySnapshot(change.state))
    }

    package func add(_ target: ReachabilityTarget) throws(ReachabilityError) -> UInt64 {
        var id: UInt64 = 0
        do throws(Errno) {
            try unsafe Errno.check(target.withCValue { unsafe reach_monitor_add(monitor, $0, &id) })
        } catch {
            throw .invalidTarget(target, error)
        }
        return id
    }

    /// An unknown id is none of the caller's worries: the target is gone either way.
    func remove(_ id: UInt64) {
        _ = unsafe reach_monitor_remove(monitor, id)
    }

    /// Adds a target and asks the kernel for its state; a name's resolver is not waited for.
    ///
    /// Changes of other targets may be queued afterwards.
    func addAsking(
        _ target: ReachabilityTarget
    ) throws(ReachabilityError) -> (id: UInt64, snapshot: ReachabilitySnapshot) {
        let id = try add(target)
        do throws(Errno) {
            return (id, try settle(id))
        } catch {
            remove(id)
            throw .system(error, doing: "monitoring")
        }
    }

    private func settle(_ id: UInt64) throws(Errno) -> ReachabilitySnapshot {
        var state = reach_state()
        state.size = MemoryLayout<reach_state>.size
        while true {
            _ = try dispatch()
            let result = unsafe reach_monitor_state(monitor, id, &state)
            guard result == -EAGAIN else {
                try Errno.check(result)
                return ReachabilitySnapshot(state)
            }
            // Under a storm a dispatch may end before it has asked; the descriptor stays readable.
            var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            _ = unsafe poll(&entry, 1, -1)
        }
    }

    /// All interfaces, sorted by index; none before the first dispatch.
    func interfaces() -> [NetworkInterface] {
        var all: [NetworkInterface] = []
        var interface = reach_interface()
        interface.size = MemoryLayout<reach_interface>.size
        while unsafe reach_monitor_interface(monitor, all.last?.index ?? 0, &interface) == 1 {
            all.append(NetworkInterface(interface))
        }
        return all
    }

    /// Answers for one target, once.
    ///
    /// A name that is not resolved at once stays pending.
    package static func check(
        _ target: ReachabilityTarget, options: MonitorOptions = .standard
    ) throws(ReachabilityError) -> ReachabilitySnapshot {
        let open = try OpenNamespace(target.namespace)
        var state = reach_state()
        state.size = MemoryLayout<reach_state>.size
        do throws(Errno) {
            try unsafe Errno.check(
                options.withCValue(namespace: open.descriptor) { options in
                    unsafe target.withCValue { unsafe reach_check($0, options, 0, &state) }
                })
        } catch {
            throw .monitor(error, in: open.isCallers ? .current : target.namespace)
        }
        return ReachabilitySnapshot(state)
    }
}
