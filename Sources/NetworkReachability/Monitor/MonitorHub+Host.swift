// SPDX-License-Identifier: MIT

#if canImport(CReach)
extension MonitorHub.State {
    var isUnused: Bool { sessions.isEmpty && host.isEmpty }
}

/// Queries about the host instead of a target.
extension MonitorHub {
    /// Calls `sink` with the interfaces of a namespace until the returned closure is called.
    static func watchInterfaces(
        of namespace: NetworkNamespace, options: MonitorOptions,
        _ sink: @escaping HostSubscribers.Sink<[NetworkInterface]>
    ) throws(ReachabilityError) -> @Sendable () -> Void {
        var id: SubscriberID?
        let hub = try withHub(in: namespace, options) { hub in
            id = hub.state.withLock { $0.host.addInterfaces(sink) }
        }
        hub.drainLater()
        return { [id] in hub.remove { state in id.flatMap { state.host.removeInterfaces($0) } } }
    }

    /// Calls `sink` with the host of a namespace until the returned closure is called.
    package static func watchHost(
        of namespace: NetworkNamespace, options: MonitorOptions,
        _ sink: @escaping @Sendable (Result<NetworkHost, ReachabilityError>) -> Void
    ) throws(ReachabilityError) -> @Sendable () -> Void {
        let resolver = options.resolverConfiguration
        var id: SubscriberID?
        let hub = try withHub(in: namespace, options) { hub throws(ReachabilityError) in
            id = try hub.state.withLock { state throws(ReachabilityError) in
                try state.host.addHost(sink, state.handle, resolver: resolver)
            }
        }
        hub.drainLater()
        return { [id] in
            hub.remove { state in
                guard let id else { return nil }
                return state.host.removeHost(id, state.handle)
            }
        }
    }

    private func remove(_ body: (inout State) -> (any Sendable)?) {
        // A child of fork() must not touch the sockets that it shares with its parent.
        guard loop.isOfThisProcess else { return }
        // Released after the lock.
        var removed: (any Sendable)?
        defer { withExtendedLifetime(removed) {} }
        let isUnused = state.withLock { state in
            removed = body(&state)
            return removed != nil && state.isUnused
        }
        if isUnused { loop.endSoon(self, after: options.linger) }
    }

    /// The hub of a namespace; nil if this process has none.
    private static func existing(
        in namespace: NetworkNamespace, _ options: MonitorOptions
    ) throws(ReachabilityError) -> MonitorHub? {
        guard let loop = MonitorLoop.existing else { return nil }
        let key = Key(try OpenNamespace(namespace), options)
        return loop.registry.withLock { $0[key] }
    }

    /// Looks up all targets of a namespace again.
    static func refresh(
        in namespace: NetworkNamespace, _ options: MonitorOptions
    ) throws(ReachabilityError) {
        guard let hub = try existing(in: namespace, options) else { return }
        hub.state.withLock { state in
            if !state.isDead { state.handle.refresh() }
        }
        hub.drainLater()
    }

    /// The counters of a namespace's monitor; nil if there is none.
    static func statistics(
        in namespace: NetworkNamespace, _ options: MonitorOptions
    ) throws(ReachabilityError) -> MonitorStatistics? {
        try existing(in: namespace, options)?.state.withLock { state in
            state.isDead ? nil : state.handle.statistics()
        }
    }
}

extension MonitorHub {
    fileprivate func explain(_ id: UInt64) throws(ReachabilityError) -> ReachabilityExplanation? {
        guard try read(id) != nil else { return nil }
        return try? state.withLock { state throws(ReachabilityErrno) in
            guard !state.isDead, state.sessions[id] != nil else { return nil }
            return try state.handle.explain(id)
        }
    }
}

extension MonitorHub.Subscription {
    /// Explains the state that ``read()`` returns; nil in the same cases.
    package func explain() throws(ReachabilityError) -> ReachabilityExplanation? {
        try hub.explain(id)
    }
}

/// The targets of a monitor that are names, and those that were until a moment ago.
///
/// The monitor keeps a former name resolved for the linger time, so that another session for it starts with its
/// answer, as after a wait.
struct NamesInUse: Sendable {
    /// Bounds what a program costs that checks ever more names.
    private static let mostFormer = 16

    private var current: Set<UInt64> = []
    private var former: [UInt64] = []

    mutating func insert(_ id: UInt64) {
        current.insert(id)
    }

    /// Keeps a name whose session has ended; returns the targets to remove from the monitor now.
    mutating func retire(_ id: UInt64) -> [UInt64] {
        guard current.remove(id) != nil else { return [id] }
        former.append(id)
        return former.count > Self.mostFormer ? [former.removeFirst()] : []
    }

    /// Forgets all former names; returns the targets to remove from the monitor.
    mutating func forget() -> [UInt64] {
        defer { former = [] }
        return former
    }

    var hasFormer: Bool { !former.isEmpty }
}
#endif
