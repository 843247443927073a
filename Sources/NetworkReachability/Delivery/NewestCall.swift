// SPDX-License-Identifier: MIT

package import Dispatch

/// A closure of the application with its queue, and the newest value that it is to be called with.
///
/// There is one call at a time, on a concurrent queue as well, so that the last call has the newest value. While
/// one waits or runs, newer values take the place of the one that comes next.
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

    /// Submits a call with a new value, unless one waits or runs.
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

    /// Releases the closure; a call that runs goes on.
    package func cancel() {
        let handler = state.withLock { $0.handler.take() }
        withExtendedLifetime(handler) {}
    }
}

extension NewestCall where Value: Equatable {
    /// - Parameter time: How long a value after the first has to hold; zero or less for no time.
    /// - Returns: A closure that submits the values that hold. It ends with its last reference.
    package func submit(stable time: Duration) -> @Sendable (_ new: Value) -> Void {
        guard time > .zero else { return { self.submit($0) } }
        let stabilizer = Stabilizer<Value>(for: time, isRepetition: ==) { self.submit($0) }
        return { stabilizer.take($0) }
    }
}
