// SPDX-License-Identifier: MIT

internal import Synchronization
internal import ReachLibc

/// Takes what a hub reports about one target, in the order of events, one call at a time.
///
/// The hub calls it with no lock held. A receiver changes its state under its own lock and returns the
/// calls that follow from the change.
package protocol MonitorReceiver: AnyObject, Sendable {
    /// Takes a new state of the target.
    func receive(_ snapshot: ReachabilitySnapshot, in session: MonitoringSession) -> [Delivery]

    /// Takes the end of the session: the monitor failed with `errno`.
    func fail(_ errno: ReachabilityErrno, in session: MonitoringSession) -> [Delivery]
}

/// One period of monitoring, from a start to the next stop.
///
/// Calls that wait on a queue hold the session instead of the receiver: the receiver can be released, and
/// a call that is left over from an earlier session can be recognised.
package final class MonitoringSession: Sendable {
    /// `weak let` would need Swift 6.2.3.
    private struct Receiver {
        weak var object: (any MonitorReceiver)?
    }

    private let receiver: Receiver
    private let ended = Atomic(false)
    private let process = getpid()

    package init(receiver: any MonitorReceiver) {
        self.receiver = Receiver(object: receiver)
    }

    /// Whether its calls are to be dropped: it was stopped, or it belongs to the parent of a forked process.
    var isEnded: Bool {
        ended.load(ordering: .acquiring) || !isOfThisProcess
    }

    var isOfThisProcess: Bool {
        process == getpid()
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
