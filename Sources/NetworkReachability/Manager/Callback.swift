// SPDX-License-Identifier: MIT

internal import Dispatch

/// The part of a snapshot whose changes a callback reports.
package enum ReportedPart: Sendable {
    case status
    case verdict
    case everything
}

/// A closure of the application, and where it is called.
final class Callback: Sendable {
    /// The value of the reported part in one snapshot.
    enum Reported: Equatable, Sendable {
        case status(NetworkReachabilityStatus)
        case verdict(ReachabilityVerdict)
        /// Snapshots are published when they differ.
        case everything
    }

    private let part: ReportedPart
    private let queue: DispatchQueue
    private let handler: Lock<Handler>

    /// A struct, since each access to a bare closure in `Lock` would add a reabstraction thunk.
    private struct Handler {
        /// Nil after cancel(): breaks the cycle of a closure that holds its own listener.
        var call: (@Sendable (ReachabilitySnapshot) -> Void)?
    }

    init(
        queue: DispatchQueue, part: ReportedPart,
        handler: @escaping @Sendable (ReachabilitySnapshot) -> Void
    ) {
        self.queue = queue
        self.part = part
        self.handler = Lock(Handler(call: handler))
    }

    /// Whether `snapshot` is to be reported after `last`, which becomes what it reports.
    func isDue(_ snapshot: ReachabilitySnapshot, after last: inout Reported?) -> Bool {
        let new: Reported =
            switch part {
            case .status: .status(snapshot.status)
            case .verdict: .verdict(snapshot.verdict)
            case .everything: .everything
            }
        defer { last = new }
        return new == .everything || new != last
    }

    func cancel() {
        _ = handler.withLock { $0.call.take() }
    }

    /// The call with a snapshot of `session`.
    ///
    /// It does nothing if the session has ended or the callback is cancelled when its turn comes.
    func delivery(of snapshot: ReachabilitySnapshot, from session: MonitoringSession) -> Delivery {
        .on(queue) {
            guard !session.isEnded, let call = self.handler.withLock({ $0.call }) else { return }
            call(snapshot)
        }
    }
}
