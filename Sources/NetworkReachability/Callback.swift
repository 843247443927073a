// SPDX-License-Identifier: MIT

internal import Dispatch
internal import Synchronization

/// A closure of the user, with the queue it is called on.
final class Callback: Sendable {
    /// Whether only snapshots with a new status count.
    let byStatus: Bool
    private let queue: DispatchQueue
    private let handler: @Sendable (ReachabilitySnapshot) -> Void
    private let cancelled = Atomic(false)

    init(
        queue: DispatchQueue, byStatus: Bool,
        handler: @escaping @Sendable (ReachabilitySnapshot) -> Void
    ) {
        self.queue = queue
        self.byStatus = byStatus
        self.handler = handler
    }

    func cancel() {
        cancelled.store(true, ordering: .releasing)
    }

    /// Puts a call on the queue.
    ///
    /// Whether it is still wanted is looked up there, at the last moment.
    func deliver(_ snapshot: ReachabilitySnapshot, of session: Session) {
        queue.async {
            guard !session.isEnded, !self.cancelled.load(ordering: .acquiring) else { return }
            self.handler(snapshot)
        }
    }
}
