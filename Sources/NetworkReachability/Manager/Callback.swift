// SPDX-License-Identifier: MIT

internal import Dispatch

/// A closure of the application, and where it is called.
final class Callback: Sendable {
    /// Whether it is called for new statuses only, not for every snapshot.
    let byStatus: Bool
    private let queue: DispatchQueue
    private let handler: Lock<Handler>

    /// A struct, since each access to a bare closure in `Lock` would add a reabstraction thunk.
    private struct Handler {
        /// Nil after cancel(): breaks the cycle of a closure that holds its own listener.
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
