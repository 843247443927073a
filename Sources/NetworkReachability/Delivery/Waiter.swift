// SPDX-License-Identifier: MIT

@unsafe @preconcurrency package import Dispatch

/// A task that waits for a value.
///
/// The first outcome ends the wait: an awaited value, a failure, the timeout, or the cancellation of the task.
package final class Waiter<Value: CustomStringConvertible & Sendable>: Sendable {
    private struct State: Sendable {
        /// The latest value; until there is one, the timeout doesn't end the wait.
        var latest: Value?
        var isLate = false
        /// Whether the first final value ends the wait in any case: with `rest`, or as at the timeout.
        var endsWithFirst = false
        var rest: ReachabilityError?
    }

    private let target: ReachabilityTarget
    private let isAwaited: @Sendable (Value) -> Bool
    /// Passes awaited values on once they have lasted; nil if they need not last.
    private let stabilizer: Stabilizer<Value?>?
    private let state: Lock<State>
    private let first: FirstOutcome<Result<Value, ReachabilityError>>

    /// - Parameters:
    ///   - target: The target, for the texts of errors.
    ///   - current: The current value, if it is known: it isn't an outcome.
    ///   - time: How long values must satisfy `isAwaited` without interruption; zero or less for no time. The latest
    ///     one at the end of that time is the outcome.
    ///   - isAwaited: Returns whether a value is awaited.
    package init(
        _ target: ReachabilityTarget, after current: Value? = nil, stable time: Duration = .zero,
        until isAwaited: @escaping @Sendable (Value) -> Bool
    ) {
        self.target = target
        self.isAwaited = isAwaited
        state = Lock(State(latest: current))
        let first = FirstOutcome<Result<Value, ReachabilityError>>()
        self.first = first
        guard time > .zero else {
            stabilizer = nil
            return
        }
        stabilizer = Stabilizer(for: time, after: .some(nil)) { last, new in
            (last == nil) == (new == nil)
        } _: { value in
            if let value { first.end(.success(value)) }
        }
    }

    /// Takes a value; one that isn't final is never the awaited one.
    package func take(_ value: Value, isFinal: Bool = true) {
        guard !first.isKnown else { return }
        let isAwaited = isFinal && isAwaited(value)
        if let stabilizer {
            stabilizer.take(isAwaited ? value : nil)
        } else if isAwaited {
            first.end(.success(value))
        }
        let state = state.withLock { state in
            state.latest = value
            return state
        }
        let isLast = state.endsWithFirst && isFinal
        if isLast, let rest = state.rest { fail(rest) }
        if isLast || state.isLate { fail(.timedOut(waitingFor: target, in: value)) }
    }

    package func fail(_ error: ReachabilityError) {
        first.end(.failure(error))
    }

    /// Ends the wait with the first final value: by `error` or else a timeout, unless the value is awaited.
    func endWithFirst(_ error: ReachabilityError?) {
        state.withLock { ($0.endsWithFirst, $0.rest) = (true, error) }
    }

    /// Waits for the outcome, until the timeout or the first value, whichever is later; nil for no timeout.
    package func value(timeout: Duration? = nil) async throws(ReachabilityError) -> Value {
        let timer = timeout.map { deadlineTimer(after: $0) { [weak self] in self?.expire() } }
        defer { timer?.cancel() }
        return try await first.value(ifCancelled: .failure(.cancelled(waitingFor: target))).get()
    }

    /// Ends the wait at the timeout; if no value has arrived yet, the first one ends the wait.
    func expire() {
        let latest = state.withLock { state in
            state.isLate = true
            return state.latest
        }
        if let latest { fail(.timedOut(waitingFor: target, in: latest)) }
    }
}

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

/// Calls `expire` on a queue when the time has passed, unless the timer is cancelled first.
package func deadlineTimer(
    after time: Duration, queue: DispatchQueue = .global(),
    _ expire: @escaping @Sendable () -> Void
) -> any DispatchSourceTimer {
    let timer = DispatchSource.makeTimerSource(queue: queue)
    timer.setEventHandler(handler: expire)
    timer.schedule(deadline: .now() + time.dispatchInterval)
    timer.activate()
    return timer
}

extension Duration {
    /// The time in nanoseconds, at least 0 and at most 584 years.
    package var nanoseconds: UInt64 {
        let (seconds, attoseconds) = max(self, .zero).components
        let (whole, isTooLong) = UInt64(seconds).multipliedReportingOverflow(by: 1_000_000_000)
        guard !isTooLong, whole <= .max - 1_000_000_000 else { return .max }
        return whole + UInt64(attoseconds / 1_000_000_000)
    }

    /// The time for libdispatch, at least 0; never after 292 years.
    package var dispatchInterval: DispatchTimeInterval {
        Int(exactly: nanoseconds).map { .nanoseconds($0) } ?? .never
    }
}
