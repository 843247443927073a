// SPDX-License-Identifier: MIT

/// The first of several possible outcomes, and the task that waits for it.
package final class FirstOutcome<Value: Sendable>: Sendable {
    private struct State: Sendable {
        var value: Value?
        var continuation: CheckedContinuation<Value, Never>?
    }

    private let state = Lock(State())

    package init() {}

    /// Whether there is an outcome.
    package var isKnown: Bool { state.withLock { $0.value != nil } }

    /// Ends the wait with `value`, unless it has already ended.
    package func end(_ value: Value) {
        let continuation = state.withLock { state in
            if state.value == nil { state.value = value }
            return state.continuation.take()
        }
        continuation?.resume(returning: value)
    }

    /// Waits for the outcome; only one task may wait.
    ///
    /// - Parameter cancelled: The outcome if the task is cancelled before another comes.
    /// - Returns: The first outcome.
    package func value(ifCancelled cancelled: Value) async -> Value {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let value = state.withLock { state in
                    if state.value == nil { state.continuation = continuation }
                    return state.value
                }
                if let value { continuation.resume(returning: value) }
            }
        } onCancel: {
            end(cancelled)
        }
    }
}
