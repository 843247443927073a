// SPDX-License-Identifier: MIT

/// A subscriber to a manager's snapshot.
protocol ManagerSubscriber: AnyObject, Sendable {
    var kind: SubscriberKind { get }

    /// The part whose changes are due.
    var part: ReportedPart { get }

    /// Returns the delivery of a report. Called in the loop, with no lock held.
    ///
    /// `isFirst` marks the first value of a session for this subscriber.
    func delivery(of report: ManagerReport, isFirst: Bool) -> Delivery?

    /// Releases the closure or ends the iteration; later deliveries do nothing.
    func cancel()
}

/// The kinds of subscribers to a manager, in the order in which they are called.
enum SubscriberKind: Int, Sendable {
    case block, listener, iteration, observer
}

/// A published state of a manager.
struct ManagerReport: Sendable {
    let manager: NetworkReachabilityManager
    let session: MonitoringSession
    let snapshot: ReachabilitySnapshot
    let versions: Versions
    /// Set if the monitor failed.
    let failure: ReachabilityError?
}

/// One iteration over a sequence of a manager.
final class SequenceIteration: ManagerSubscriber {
    /// Receives snapshots, an error as the last value, or nil at the end.
    typealias Output = @Sendable (Result<ReachabilitySnapshot, ReachabilityError>?) -> Void

    let kind = SubscriberKind.iteration
    let part = ReportedPart.everything
    private let output: Output

    init(_ output: @escaping Output) {
        self.output = output
    }

    func delivery(of report: ManagerReport, isFirst: Bool) -> Delivery? {
        .here { [output] in
            output(report.failure.map { .failure($0) } ?? .success(report.snapshot))
        }
    }

    func cancel() {
        output(nil)
    }
}
