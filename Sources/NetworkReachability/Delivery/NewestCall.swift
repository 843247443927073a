// SPDX-License-Identifier: MIT

package import Dispatch

/// A closure of the application with its queue, and the newest value that it is to be called with.
///
/// While a call waits on the queue, newer values take the place of the one it has.
package final class NewestCall<Value: Sendable>: Sendable {
    private struct State: Sendable {
        var handler: (@Sendable (Value) -> Void)?
        /// Nil if no call is submitted.
        var pending: Value?
    }

    private let queue: DispatchQueue
    private let state: Lock<State>

    package init(queue: DispatchQueue, handler: @escaping @Sendable (Value) -> Void) {
        self.queue = queue
        state = Lock(State(handler: handler))
    }

    /// Submits a call with a new value, unless one waits.
    package func submit(_ new: Value) {
        let isFirst = state.withLock { state in
            defer { state.pending = new }
            return state.pending == nil
        }
        guard isFirst else { return }
        queue.async { self.call() }
    }

    private func call() {
        let (handler, new) = state.withLock { state in (state.handler, state.pending.take()) }
        if let new { handler?(new) }
    }

    /// Releases the closure; a call that runs goes on.
    package func cancel() {
        let handler = state.withLock { $0.handler.take() }
        withExtendedLifetime(handler) {}
    }
}
