// SPDX-License-Identifier: MIT

#if canImport(CReach)
extension MonitorOptions: MonitorSource {
    package func subscribe(
        _ session: MonitoringSession, to target: ReachabilityTarget, once: Bool
    ) throws(ReachabilityError) -> any MonitorSubscription {
        try MonitorHub.subscribe(session, to: target, options: self, once: once)
    }

    package func check(
        _ target: ReachabilityTarget
    ) throws(ReachabilityError) -> ReachabilitySnapshot {
        try MonitorHandle.check(target, options: self)
    }

    package func explain(
        _ target: ReachabilityTarget
    ) throws(ReachabilityError) -> ReachabilityExplanation {
        try MonitorHandle.explain(target, options: self)
    }

    package func perform(_ job: @escaping @Sendable () -> [Delivery]) {
        MonitorLoop.perform(job)
    }
}
#endif
