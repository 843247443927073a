// SPDX-License-Identifier: MIT

internal import Dispatch

/// A closure of the user, with the queue it is called on.
final class Callback: Sendable {
    /// Whether only snapshots with a new status count.
    let byStatus: Bool
    private let queue: DispatchQueue
    private let handler: Lock<Handler>

    /// Not a bare closure: each access to one behind a generic type would wrap it once more.
    private struct Handler {
        /// Nil once it is cancelled, so that a closure that holds its own listener goes away.
        var call: (@Sendable (ReachabilitySnapshot) -> Void)?
    }

    init(
        queue: DispatchQueue, byStatus: Bool,
        handler: @escaping @Sendable (ReachabilitySnapshot) -> Void
    ) {
        self.queue = queue
        self.byStatus = byStatus
        self.handler = Lock(Handler(call: handler))
    }

    func cancel() {
        _ = handler.withLock { $0.call.take() }
    }

    /// The call that tells a snapshot of a session.
    ///
    /// Whether it is still wanted is looked up on the queue, at the last moment.
    func delivery(of snapshot: ReachabilitySnapshot, from session: MonitoringSession) -> Delivery {
        .on(queue) {
            guard !session.isEnded, let call = self.handler.withLock({ $0.call }) else { return }
            call(snapshot)
        }
    }
}
