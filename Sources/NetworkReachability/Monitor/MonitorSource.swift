// SPDX-License-Identifier: MIT

/// The source of a manager's states: the shared monitors of the kernel (``MonitorOptions``), or a
/// simulation of `NetworkReachabilityTesting`.
package protocol MonitorSource: AnyObject, Sendable {
    /// Reports the states of a target to `session`, the current one first; with `once`, only the state until a
    /// name is resolved, which needs no multicast groups.
    ///
    /// The manager may hold its lock during the call, so nothing may be reported on the caller's stack.
    func subscribe(
        _ session: MonitoringSession, to target: ReachabilityTarget, once: Bool
    ) throws(ReachabilityError) -> any MonitorSubscription

    /// Queries the state of a target, subscribed or not.
    func check(_ target: ReachabilityTarget) throws(ReachabilityError) -> ReachabilitySnapshot

    /// Explains the state that ``check(_:)`` returns.
    func explain(_ target: ReachabilityTarget) throws(ReachabilityError) -> ReachabilityExplanation

    /// Runs a job after all states reported so far and before later ones, not on the caller's stack, and
    /// delivers what it returns.
    func perform(_ job: @escaping @Sendable () -> [Delivery])
}

/// A target that is watched until ``cancel()``.
package protocol MonitorSubscription: Sendable {
    func cancel()

    /// Queries the current state; nil if the target is no longer watched, or if reading the state would have
    /// to wait.
    func read() throws(ReachabilityError) -> ReachabilitySnapshot?

    /// Explains the state that ``read()`` returns; nil in the same cases.
    func explain() throws(ReachabilityError) -> ReachabilityExplanation?
}

extension MonitorSource {
    func subscribe(
        _ session: MonitoringSession, to target: ReachabilityTarget
    ) throws(ReachabilityError) -> any MonitorSubscription {
        try subscribe(session, to: target, once: false)
    }
}

/// A simulation has states, but no evidence for them.
extension MonitorSource {
    package func explain(
        _ target: ReachabilityTarget
    ) throws(ReachabilityError) -> ReachabilityExplanation {
        ReachabilityExplanation(withoutEvidence: try check(target))
    }
}

extension MonitorSubscription {
    package func explain() throws(ReachabilityError) -> ReachabilityExplanation? {
        try read().map { ReachabilityExplanation(withoutEvidence: $0) }
    }
}
