// SPDX-License-Identifier: MIT

#if canImport(CReach)
/// Queries that close their monitor before they return.
extension MonitorHandle {
    /// Explains the state of one target, without waiting for names.
    package static func explain(
        _ target: ReachabilityTarget, options: MonitorOptions = .standard
    ) throws(ReachabilityError) -> ReachabilityExplanation {
        let handle = try MonitorHandle(
            query: OpenNamespace(target.namespace), of: target.namespace, options: options)
        let id = try handle.readFirst(of: target).0
        do throws(ReachabilityErrno) {
            return try handle.explain(id)
        } catch {
            throw .system(error, doing: "monitoring")
        }
    }

    /// Reads the network of a namespace; waits until a storm of events has ended.
    package static func host(
        in namespace: NetworkNamespace, options: MonitorOptions = .standard
    ) throws(ReachabilityError) -> NetworkHost {
        let handle = try MonitorHandle(
            query: OpenNamespace(namespace), of: namespace, options: options)
        var targets = try HostTargets(handle, resolver: options.resolverConfiguration)
        do throws(ReachabilityErrno) {
            while true {
                _ = try handle.dispatch()
                if let host = try targets.host(of: handle) { return host }
            }
        } catch {
            throw .system(error, doing: "reading the network")
        }
    }

    /// Opens a monitor for one query.
    private init(
        query open: borrowing OpenNamespace, of namespace: NetworkNamespace,
        options: MonitorOptions
    ) throws(ReachabilityError) {
        try self.init(open, of: namespace, options: options, once: true)
        setFacts(InterfaceFeeds.facts(in: open.identity))
    }

    /// Adds a target and queries its state; waits until a storm of events has ended.
    private func readFirst(
        of target: ReachabilityTarget
    ) throws(ReachabilityError) -> (UInt64, ReachabilitySnapshot) {
        var (id, snapshot) = try addAndRead(target, reporting: .path)
        do throws(ReachabilityErrno) {
            while true {
                if let snapshot { return (id, snapshot) }
                snapshot = try read(id).snapshot
            }
        } catch {
            throw .system(error, doing: "monitoring")
        }
    }

    /// Queries the state of one target without a monitor.
    ///
    /// A name that is not resolved at once stays pending.
    package static func check(
        _ target: ReachabilityTarget, options: MonitorOptions = .standard
    ) throws(ReachabilityError) -> ReachabilitySnapshot {
        let open = try OpenNamespace(target.namespace)
        guard InterfaceFeeds.facts(in: open.identity).isEmpty else {
            return try MonitorHandle(query: open, of: target.namespace, options: options)
                .readFirst(of: target).1
        }
        return try check(target, in: open, options: options)
    }
}
#endif
