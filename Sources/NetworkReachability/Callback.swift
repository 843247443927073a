// SPDX-License-Identifier: MIT

internal import Dispatch
internal import Synchronization

/// A closure of the user, with the queue it is called on.
final class Callback: Sendable {
    /// What it is to be told.
    struct Letter {
        let snapshot: ReachabilitySnapshot
        let session: Session
    }

    /// Whether only snapshots with a new status count.
    let byStatus: Bool
    let isOnMainQueue: Bool
    private let queue: DispatchQueue
    private let handler: Mutex<Handler>

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
        isOnMainQueue = queue.label == DispatchQueue.main.label
        self.handler = Mutex(Handler(call: handler))
    }

    func cancel() {
        _ = handler.withLock { $0.call.take() }
    }

    /// Puts a call on the queue.
    func send(_ letter: Letter) {
        queue.async { self.tell(letter) }
    }

    /// Waits for the queue, and runs `body` there, by the calling thread unless the queue has its own.
    func performOnQueue(_ body: () -> Void) {
        queue.sync(execute: body)
    }

    /// Calls the closure; on the queue.
    ///
    /// Whether it is still wanted is looked up here, at the last moment.
    func tell(_ letter: Letter) {
        guard !letter.session.isEnded, let call = handler.withLock({ $0.call }) else { return }
        call(letter.snapshot)
    }
}
