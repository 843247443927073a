// SPDX-License-Identifier: MIT

internal import Synchronization

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
    /// `weak let` would need Swift 6.2.3.
    private struct Receiver {
        weak var object: (any MonitorReceiver)?
    }

    private let receiver: Receiver
    private let ended = Atomic(false)
    package let process = OwnerProcess()

    package init(receiver: any MonitorReceiver) {
        self.receiver = Receiver(object: receiver)
    }

    /// Whether to drop the session's calls: it was stopped, or it belongs to the parent of this forked process.
    var isEnded: Bool {
        ended.load(ordering: .acquiring) || !isOfThisProcess
    }

    func end() {
        ended.store(true, ordering: .releasing)
    }

    package func receive(_ snapshot: ReachabilitySnapshot) -> [Delivery] {
        receiver.object?.receive(snapshot, in: self) ?? []
    }

    package func fail(_ errno: ReachabilityErrno) -> [Delivery] {
        receiver.object?.fail(errno, in: self) ?? []
    }
}
