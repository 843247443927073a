// SPDX-License-Identifier: MIT

internal import Dispatch

/// The part of a snapshot whose changes a callback reports.
package enum ReportedPart: Sendable {
    case status
    case verdict
    case everything
}

/// A closure of the application, with the queue that it is called on.
final class Callback: Sendable {
    /// The value of the reported part in one snapshot.
    enum Reported: Equatable, Sendable {
        case status(NetworkReachabilityStatus)
        case verdict(ReachabilityVerdict)
        /// Every snapshot counts: sources report only snapshots that differ.
        case everything
    }

    private let part: ReportedPart
    private let queue: CallQueue
    private let handler: Lock<Handler>
    private let stabilizer: Stabilizer<Report>?

    /// A struct, since each access to a bare closure in `Lock` would add a reabstraction thunk.
    private struct Handler {
        /// Nil after cancel(), which breaks the cycle of a closure that holds its own listener.
        var call: (@Sendable (ReachabilitySnapshot) -> Void)?
    }

    /// A snapshot and the session that it belongs to.
    private struct Report: Sendable {
        let snapshot: ReachabilitySnapshot
        let session: MonitoringSession
    }

    /// A change must last for `time`; with zero or less, none is delayed.
    init(
        queue: DispatchQueue, part: ReportedPart, stable time: Duration = .zero,
        handler: @escaping @Sendable (ReachabilitySnapshot) -> Void
    ) {
        self.queue = CallQueue(queue)
        self.part = part
        let handler = Lock(Handler(call: handler))
        self.handler = handler
        guard time > .zero else {
            stabilizer = nil
            return
        }
        stabilizer = Stabilizer(for: time) { last, new in
            part.isEqual(last.snapshot, new.snapshot)
        } _: { report in
            queue.async { Self.call(handler, report.snapshot, from: report.session) }
        }
    }

    /// Whether to report `snapshot` after `last`; stores the value of `snapshot` in `last`.
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
        stabilizer?.reset()
    }

    /// The call with a snapshot of `session`; `isFirst` marks the first one of the session.
    ///
    /// The call does nothing if the session has ended or the callback is cancelled by then.
    func delivery(
        of snapshot: ReachabilitySnapshot, from session: MonitoringSession, isFirst: Bool = false
    ) -> Delivery {
        guard let stabilizer else {
            return .call(on: queue) { [handler] in Self.call(handler, snapshot, from: session) }
        }
        return .here {
            if isFirst { stabilizer.reset() }
            stabilizer.take(Report(snapshot: snapshot, session: session))
        }
    }

    private static func call(
        _ handler: Lock<Handler>, _ snapshot: ReachabilitySnapshot,
        from session: MonitoringSession
    ) {
        guard !session.isEnded, let call = handler.withLock({ $0.call }) else { return }
        call(snapshot)
    }
}

extension ReportedPart {
    fileprivate func isEqual(_ one: ReachabilitySnapshot, _ other: ReachabilitySnapshot) -> Bool {
        switch self {
        case .status: one.status == other.status
        case .verdict: one.verdict == other.verdict
        case .everything: one == other
        }
    }
}
