// SPDX-License-Identifier: MIT

internal import Synchronization

/// The one call that a thread of a hub makes itself, in place of a thread of the callback's queue.
///
/// What is kept here is not on its queue yet. Whoever sends anything to a queue meanwhile sends this
/// first, so that all is told in order.
final class KeptCall: Sendable {
    private struct Content {
        let callback: Callback
        /// Nil once it was sent or told.
        var letter: Callback.Letter?
    }

    /// A queue that stands still has its thread for as long as it does, even if the hub ends.
    private static let most = 8
    private static let count = Atomic(0)

    /// Stays until ``call()`` is through: to let go of a callback is to run code of the user.
    private let content = Mutex<Content?>(nil)

    /// Takes a call that ``call()`` will be called for; false if there is one, or too many elsewhere.
    func keep(_ letter: Callback.Letter, for callback: Callback) -> Bool {
        content.withLock { content in
            guard content == nil else { return false }
            guard Self.count.add(1, ordering: .relaxed).newValue <= Self.most else {
                Self.count.subtract(1, ordering: .relaxed)
                return false
            }
            content = Content(callback: callback, letter: letter)
            return true
        }
    }

    /// Puts on its queue what was not told yet.
    func send() {
        content.withLock { content in
            guard let letter = content?.letter.take() else { return }
            content?.callback.send(letter)
        }
    }

    /// Waits for the queue and tells what was not sent meanwhile, which takes as long as the user's code.
    func call() {
        let kept = content.withLock { $0 }
        if let kept, kept.letter != nil {
            kept.callback.performOnQueue {
                if let letter = self.content.withLock({ $0?.letter.take() }) {
                    kept.callback.tell(letter)
                }
            }
        }
        // Let go of outside the lock.
        _ = content.withLock { $0.take() }
        Self.count.subtract(1, ordering: .relaxed)
    }
}
