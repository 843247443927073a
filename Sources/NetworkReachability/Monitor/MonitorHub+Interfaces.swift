// SPDX-License-Identifier: MIT

extension MonitorHub.State {
    var isUnused: Bool { sessions.isEmpty && interfaces.isEmpty }
}

extension MonitorHub {
    /// Feeds an iteration until it is removed.
    static func watchInterfaces(
        of namespace: NetworkNamespace, options: MonitorOptions,
        _ continuation: InterfaceStreams.Stream.Continuation, as identity: StreamIdentity
    ) throws(ReachabilityError) -> MonitorHub {
        let target = ReachabilityTarget.internet.with(namespace: namespace)
        let hub = try withHub(of: target, options) { hub throws(ReachabilityError) in
            hub.state.withLock { $0.interfaces.add(continuation, as: identity) }
            return hub
        }
        hub.drainLater()
        return hub
    }

    func removeInterfaces(_ identity: StreamIdentity) {
        // A child of fork() does not touch the sockets it shares with its parent.
        guard loop.isOfThisProcess else { return }
        // Released after the lock.
        var removed: InterfaceStreams.Stream.Continuation?
        defer { withExtendedLifetime(removed) {} }
        let isUnused = state.withLock { state in
            removed = state.interfaces.remove(identity)
            return removed != nil && state.isUnused
        }
        if isUnused { loop.endSoon(self, after: options.linger) }
    }
}
