// SPDX-License-Identifier: MIT

internal import Dispatch

/// The part of a snapshot whose changes a callback reports.
package enum ReportedPart: Sendable {
    case status
    case verdict
    case everything
}

/// A closure of the application, with the queue that it is called on.
final class Callback: ManagerSubscriber {
    let kind: SubscriberKind
    let part: ReportedPart
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
        _ kind: SubscriberKind = .listener, queue: DispatchQueue, part: ReportedPart,
        stable time: Duration = .zero,
        handler: @escaping @Sendable (ReachabilitySnapshot) -> Void
    ) {
        self.kind = kind
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

    func cancel() {
        _ = handler.withLock { $0.call.take() }
    }

    func delivery(of report: ManagerReport, isFirst: Bool) -> Delivery? {
        delivery(of: report.snapshot, from: report.session, isFirst: isFirst)
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
        guard !session.isEnded, let call = handler.withLock({ $0 }).call else { return }
        call(snapshot)
    }
}

extension ReportedPart {
    /// Whether two snapshots have equal parts.
    func isEqual(_ one: ReachabilitySnapshot, _ other: ReachabilitySnapshot) -> Bool {
        switch self {
        case .status: one.status == other.status
        case .verdict: one.verdict == other.verdict
        case .everything: one == other
        }
    }
}
