// SPDX-License-Identifier: MIT

#if canImport(CReach)
internal import CReach
internal import ReachLibc

/// The owner of a C monitor.
///
/// Only one thread may use it at a time: keep it in a ``Lock``.
@safe
package struct MonitorHandle: ~Copyable {
    private let monitor: OpaquePointer
    private let options: MonitorOptions

    /// Opens a monitor; with `once` it joins no multicast groups and reports first states only.
    package init(
        namespace: NetworkNamespace, options: MonitorOptions = .standard, once: Bool = false
    ) throws(ReachabilityError) {
        try self.init(OpenNamespace(namespace), of: namespace, options: options, once: once)
    }

    init(
        _ open: borrowing OpenNamespace, of namespace: NetworkNamespace, options: MonitorOptions,
        once: Bool = false
    ) throws(ReachabilityError) {
        var opened: OpaquePointer?
        do throws(ReachabilityErrno) {
            try unsafe ReachabilityErrno.check(
                options.withCValue(namespace: open, once: once) {
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

    /// The descriptor to poll for input; the monitor owns it.
    package var descriptor: CInt {
        unsafe reach_monitor_fd(monitor)
    }

    package func dispatch() throws(ReachabilityErrno) -> Bool {
        return try unsafe ReachabilityErrno.check(reach_monitor_dispatch(monitor)) == 1
    }

    package func next() throws(ReachabilityErrno) -> (id: UInt64, snapshot: ReachabilitySnapshot)? {
        var change = unsafe reach_change()
        unsafe change.size = MemoryLayout<reach_change>.size
        guard try unsafe ReachabilityErrno.check(reach_monitor_next(monitor, &change)) == 1 else {
            return nil
        }
        return unsafe (change.id, ReachabilitySnapshot(change.state))
    }

    package func add(
        _ target: ReachabilityTarget, reporting: Reporting
    ) throws(ReachabilityError) -> UInt64 {
        var id: UInt64 = 0
        do throws(ReachabilityErrno) {
            try unsafe ReachabilityErrno.check(
                target.withCValue(reporting: reporting) {
                    unsafe reach_monitor_add(monitor, $0, &id)
                })
        } catch {
            throw .invalidTarget(target, error)
        }
        return id
    }

    /// Removes a target; an unknown id has no effect.
    func remove(_ id: UInt64) {
        _ = unsafe reach_monitor_remove(monitor, id)
    }

    func statistics() -> MonitorStatistics {
        var statistics = reach_stats()
        statistics.size = MemoryLayout<reach_stats>.size
        // The only error is a wrong size.
        _ = unsafe reach_monitor_stats(monitor, &statistics)
        return MonitorStatistics(statistics)
    }

    /// Looks up all targets again at the next dispatch.
    func refresh() {
        unsafe reach_monitor_refresh(monitor)
    }

    /// Replaces the facts about interfaces.
    package func setFacts(_ facts: [InterfaceFacts]) {
        // The list is valid. If memory runs out, the old one stays. A child of fork() has none to set.
        _ = unsafe reach_monitor_set_facts(monitor, facts, facts.count)
    }

    /// Adds a target and queries its state; nil while a storm of events is being read.
    ///
    /// It doesn't wait for names. Afterwards, changes of other targets may be queued.
    func addAndRead(
        _ target: ReachabilityTarget, reporting: Reporting
    ) throws(ReachabilityError) -> (id: UInt64, snapshot: ReachabilitySnapshot?) {
        let id = try add(target, reporting: reporting)
        do throws(ReachabilityErrno) {
            return (id, try read(id).snapshot)
        } catch {
            remove(id)
            throw .system(error, doing: "monitoring")
        }
    }

    /// Explains the latest state of a target.
    package func explain(_ id: UInt64) throws(ReachabilityErrno) -> ReachabilityExplanation {
        var state = reach_state()
        state.size = MemoryLayout<reach_state>.size
        var explanation = reach_explanation()
        explanation.size = MemoryLayout<reach_explanation>.size
        try unsafe ReachabilityErrno.check(reach_monitor_state(monitor, id, &state))
        try unsafe ReachabilityErrno.check(
            reach_monitor_explain(monitor, id, REACH_EXPLAIN_DECIDING, &explanation))
        return ReachabilityExplanation(
            explanation, of: ReachabilitySnapshot(state))
    }

    /// Returns the state of a target after all events so far (nil while a storm of them is being read), and
    /// whether changes are queued.
    func read(
        _ id: UInt64
    ) throws(ReachabilityErrno) -> (snapshot: ReachabilitySnapshot?, hasChanges: Bool) {
        let hasChanges = try dispatch()
        return (try latest(id), hasChanges)
    }

    /// The state of a target as of the last dispatch; nil before its first answer.
    func latest(_ id: UInt64) throws(ReachabilityErrno) -> ReachabilitySnapshot? {
        var state = reach_state()
        state.size = MemoryLayout<reach_state>.size
        let result = unsafe reach_monitor_state(monitor, id, &state)
        if result == -EAGAIN { return nil }
        try ReachabilityErrno.check(result)
        return ReachabilitySnapshot(state)
    }

    /// All interfaces, sorted by index; none before the first dispatch.
    func interfaces() -> [NetworkInterface] {
        var all: [NetworkInterface] = []
        var interface = reach_interface()
        interface.size = MemoryLayout<reach_interface>.size
        while unsafe reach_monitor_interface(monitor, all.last?.index ?? 0, &interface) == 1 {
            all.append(NetworkInterface(interface, addresses: addresses(of: interface.index)))
        }
        return all
    }

    private func addresses(of index: UInt32) -> [NetworkInterface.Address] {
        var all: [NetworkInterface.Address] = []
        var own = reach_interface_address()
        own.size = MemoryLayout<reach_interface_address>.size
        while unsafe reach_monitor_interface_address(monitor, index, all.count, &own) == 1 {
            guard let address = NetworkAddress(own.address) else { break }
            all.append(
                NetworkInterface.Address(
                    address: address, prefixLength: Int(own.prefix_length),
                    isUsable: own.usable != 0))
        }
        return all
    }

    /// Queries the state of one target without a monitor, in the network namespace `open`.
    static func check(
        _ target: ReachabilityTarget, in open: borrowing OpenNamespace, options: MonitorOptions
    ) throws(ReachabilityError) -> ReachabilitySnapshot {
        var state = reach_state()
        state.size = MemoryLayout<reach_state>.size
        do throws(ReachabilityErrno) {
            try unsafe ReachabilityErrno.check(
                options.withCValue(namespace: open) { options in
                    unsafe target.withCValue { unsafe reach_check($0, options, 0, &state) }
                })
        } catch {
            throw .monitor(error, in: open.isCallers ? .current : target.namespace)
        }
        return ReachabilitySnapshot(state)
    }
}
#endif

extension NetworkInterface {
    /// Returns the interfaces of a network namespace, sorted by index.
    ///
    /// Opens a monitor for the duration of the call, and waits for the kernel's answer.
    ///
    /// - Parameter namespace: The network namespace.
    /// - Returns: Every interface, including loopback.
    /// - Throws: ``ReachabilityError`` if the namespace cannot be opened or the kernel has no rtnetlink;
    ///   see ``ReachabilityError/Code``.
    public static func all(
        in namespace: NetworkNamespace = .current
    ) throws(ReachabilityError) -> [NetworkInterface] {
        #if canImport(CReach)
        let handle = try MonitorHandle(namespace: namespace, once: true)
        do throws(ReachabilityErrno) {
            _ = try handle.dispatch()
        } catch {
            throw .system(error, doing: "listing the interfaces")
        }
        return handle.interfaces()
        #else
        throw .unsupportedSystem
        #endif
    }
}
