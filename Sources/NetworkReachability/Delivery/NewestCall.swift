// SPDX-License-Identifier: MIT

package import Dispatch

/// Calls a closure of the application on its queue, with the newest value.
///
/// Calls don't overlap, even on a concurrent queue, so the last call has the newest value. While a call waits or
/// runs, a newer value replaces the one that isn't delivered yet.
package final class NewestCall<Value: Sendable>: Sendable {
    private struct State: Sendable {
        var handler: (@Sendable (Value) -> Void)?
        var next: Value?
        /// Whether a call waits or runs.
        var isBusy = false
    }

    private let queue: DispatchQueue
    private let state: Lock<State>

    package init(queue: DispatchQueue, handler: @escaping @Sendable (Value) -> Void) {
        self.queue = queue
        state = Lock(State(handler: handler))
    }

    /// Records a new value, and submits a call unless one waits or runs.
    package func submit(_ new: Value) {
        let (isFirst, replaced) = state.withLock { state in
            defer {
                state.next = new
                state.isBusy = true
            }
            return (!state.isBusy, state.next)
        }
        withExtendedLifetime(replaced) {}
        if isFirst { queue.async { self.call() } }
    }

    private func call() {
        let (handler, new) = state.withLock { state in (state.handler, state.next.take()) }
        if let new { handler?(new) }
        let isBusy = state.withLock { state in
            state.isBusy = state.next != nil
            return state.isBusy
        }
        if isBusy { queue.async { self.call() } }
    }

    /// Releases the closure; a running call continues.
    package func cancel() {
        let handler = state.withLock { $0.handler.take() }
        withExtendedLifetime(handler) {}
    }
}

extension NewestCall where Value: Equatable {
    /// - Parameter time: How long each value after the first must last; zero or less for no time.
    /// - Returns: A closure that submits the values that last. To end it, release it.
    package func submit(stable time: Duration) -> @Sendable (_ new: Value) -> Void {
        guard time > .zero else { return { self.submit($0) } }
        let stabilizer = Stabilizer<Value>(for: time, isRepetition: ==) { self.submit($0) }
        return { stabilizer.take($0) }
    }
}
