// SPDX-License-Identifier: MIT

internal import Synchronization

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
#endif

/// Receives the reports of a hub about one target, in the order of events, one call at a time.
///
/// The hub calls it with no lock held. A receiver changes its state under its own lock and returns the
/// calls that follow from the change.
package protocol MonitorReceiver: AnyObject, Sendable {
    /// Receives a new state of the target.
    func receive(_ snapshot: ReachabilitySnapshot, in session: MonitoringSession) -> [Delivery]

    /// Receives the end of the session: the monitor failed with `errno`.
    func fail(_ errno: ReachabilityErrno, in session: MonitoringSession) -> [Delivery]
}

/// One period of monitoring, from a start to the next stop.
///
/// Calls that wait on a queue hold the session, not the receiver. So the receiver can be released, and calls
/// left over from an earlier session can be recognized.
package final class MonitoringSession: OfOneProcess {
    /// Never written again: `weak let` would need Swift 6.2.3.
    private nonisolated(unsafe) weak var receiver: (any MonitorReceiver)?
    private let ended = Atomic(false)
    package let process = OwnerProcess()

    package init(receiver: any MonitorReceiver) {
        unsafe self.receiver = receiver
    }

    /// Whether to drop the session's calls: it was stopped, or it belongs to the parent of this forked process.
    var isEnded: Bool {
        ended.load(ordering: .acquiring) || !isOfThisProcess
    }

    func end() {
        ended.store(true, ordering: .releasing)
    }

    package func receive(_ snapshot: ReachabilitySnapshot) -> [Delivery] {
        unsafe receiver?.receive(snapshot, in: self) ?? []
    }

    package func fail(_ errno: ReachabilityErrno) -> [Delivery] {
        unsafe receiver?.fail(errno, in: self) ?? []
    }
}
