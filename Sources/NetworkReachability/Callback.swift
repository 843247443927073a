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

    /// Not a bare closure: each access to one behind a generic type would wrap it once more.
    private struct State {
        /// Nil once it is cancelled, so that a closure that holds its own listener goes away.
        var handler: (@Sendable (ReachabilitySnapshot) -> Void)?
        /// Is not on the queue yet, but goes there before any other.
        var held: Letter?
    }

    /// Whether only snapshots with a new status count.
    let byStatus: Bool
    let isOnMainQueue: Bool
    private let queue: DispatchQueue
    private let state: Mutex<State>

    init(
        queue: DispatchQueue, byStatus: Bool,
        handler: @escaping @Sendable (ReachabilitySnapshot) -> Void
    ) {
        self.queue = queue
        self.byStatus = byStatus
        isOnMainQueue = queue.label == DispatchQueue.main.label
        state = Mutex(State(handler: handler))
    }

    func cancel() {
        _ = state.withLock { $0.handler.take() }
    }

    /// Puts a letter on the queue.
    func send(_ letter: Letter) {
        state.withLock { state in
            sendHeld(&state)
            enqueue(letter)
        }
    }

    /// Keeps a letter for ``callWithHeld()``, or until the next one.
    func hold(_ letter: Letter) {
        state.withLock { state in
            sendHeld(&state)
            state.held = letter
        }
    }

    func sendHeld() {
        state.withLock { sendHeld(&$0) }
    }

    private func sendHeld(_ state: inout State) {
        if let held = state.held.take() { enqueue(held) }
    }

    private func enqueue(_ letter: Letter) {
        queue.async { self.tell(letter) }
    }

    /// Waits for the queue, and tells what is still held.
    func callWithHeld() {
        queue.sync {
            if let held = state.withLock({ $0.held.take() }) { tell(held) }
        }
    }

    /// Whether a letter is still wanted is looked up at the last moment.
    private func tell(_ letter: Letter) {
        guard !letter.session.isEnded, let handler = state.withLock({ $0.handler }) else { return }
        handler(letter.snapshot)
    }
}
