// SPDX-License-Identifier: MIT

extension MonitorHub.State {
    var isUnused: Bool { sessions.isEmpty && host.isEmpty }
}

/// Queries about the host instead of a target.
extension MonitorHub {
    /// Calls `sink` with the interfaces of a namespace until the returned closure is called.
    static func watchInterfaces(
        of namespace: NetworkNamespace, options: MonitorOptions,
        _ sink: Subscribers<[NetworkInterface]>.Sink
    ) throws(ReachabilityError) -> @Sendable () -> Void {
        let identity = SubscriberIdentity()
        let hub = try withHub(in: namespace, options) { hub throws(ReachabilityError) in
            hub.state.withLock { $0.host.interfaces.add(sink, as: identity) }
            return hub
        }
        hub.drainLater()
        return { hub.remove { state in state.host.interfaces.remove(identity) } }
    }

    /// Calls `sink` with the host of a namespace until the returned closure is called.
    static func watchHost(
        of namespace: NetworkNamespace, options: MonitorOptions,
        _ sink: Subscribers<NetworkHost>.Sink
    ) throws(ReachabilityError) -> @Sendable () -> Void {
        let identity = SubscriberIdentity()
        let resolver = options.resolverConfiguration
        let hub = try withHub(in: namespace, options) { hub throws(ReachabilityError) in
            try hub.state.withLock { state throws(ReachabilityError) in
                try state.host.addHost(sink, as: identity, state.handle, resolver: resolver)
            }
            return hub
        }
        hub.drainLater()
        return { hub.remove { state in state.host.removeHost(identity, state.handle) } }
    }

    private func remove<Sink: Sendable>(
        _ body: (inout State) -> Sink?
    ) {
        // A child of fork() must not touch the sockets that it shares with its parent.
        guard loop.isOfThisProcess else { return }
        // Released after the lock.
        var removed: Sink?
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
