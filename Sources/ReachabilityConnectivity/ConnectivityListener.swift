// SPDX-License-Identifier: MIT

@unsafe @preconcurrency internal import Dispatch
internal import NetworkReachability

/// A handle of a listener, which ``cancel()`` removes.
///
///     let listener = monitor.addListener { state in
///         print(state.level)
///     }
///     // When it is no longer wanted:
///     listener.cancel()
///
/// Releasing the handle does not remove the listener.
public final class ConnectivityListener: Sendable {
    private let remove: @Sendable () -> Void

    init(_ remove: @escaping @Sendable () -> Void) {
        self.remove = remove
    }

    /// Removes the listener and releases its closure.
    ///
    /// Called on the queue of the listener, no call follows; called elsewhere, one call may still be
    /// running or about to run. Can be called from any thread and more than once.
    public func cancel() {
        remove()
    }
}

/// A closure of the application with its queue, and the newest state that it is to be called with.
final class ConnectivityReceiver: Sendable {
    private struct State: Sendable {
        var handler: (@Sendable (ConnectivityState) -> Void)?
        /// Nil if no call is submitted.
        var pending: ConnectivityState?
    }

    private let queue: DispatchQueue
    private let state: Lock<State>

    init(queue: DispatchQueue, handler: @escaping @Sendable (ConnectivityState) -> Void) {
        self.queue = queue
        state = Lock(State(handler: handler))
    }

    func receive(_ new: ConnectivityState) {
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

    func cancel() {
        let handler = state.withLock { $0.handler.take() }
        withExtendedLifetime(handler) {}
    }
}
