// SPDX-License-Identifier: MIT

@unsafe @preconcurrency internal import Dispatch

/// Passes the first value on at once, and later ones once they have lasted for some time.
package final class Stabilizer<Value: Sendable>: Sendable {
    /// Calls back when the time has passed, unless the returned closure is called first.
    package typealias Timer =
        @Sendable (_ expire: @escaping @Sendable () -> Void) -> @Sendable () -> Void

    private struct State: Sendable {
        /// The last value passed on.
        var passed: Value?
        /// The value that must last, and the number of its timer.
        var held: Value?
        var round = 0
        var stopTimer: (@Sendable () -> Void)?
    }

    /// The effect of a new value.
    private enum Step {
        case pass
        case hold(round: Int)
        case nothing
    }

    private let startTimer: Timer
    private let isRepetition: @Sendable (_ last: Value, _ new: Value) -> Bool
    private let pass: @Sendable (Value) -> Void
    private let state = Lock(State())

    /// - Parameters:
    ///   - time: How long a value must last.
    ///   - first: A value that counts as passed on; nil to pass the first value on.
    ///   - isRepetition: Returns whether the second of two values repeats the first, whose time then goes on.
    ///   - pass: Receives the values, in order and one at a time.
    package convenience init(
        for time: Duration, after first: Value? = nil,
        isRepetition: @escaping @Sendable (Value, Value) -> Bool,
        _ pass: @escaping @Sendable (Value) -> Void
    ) {
        // A serial queue keeps the order.
        let queue = DispatchQueue(label: "NetworkReachability.Stabilizer")
        self.init(after: first, isRepetition: isRepetition, pass) { expire in
            let timer = deadlineTimer(after: time, queue: queue, expire)
            return { timer.cancel() }
        }
    }

    init(
        after first: Value? = nil,
        isRepetition: @escaping @Sendable (Value, Value) -> Bool,
        _ pass: @escaping @Sendable (Value) -> Void, timer: @escaping Timer
    ) {
        self.isRepetition = isRepetition
        self.pass = pass
        startTimer = timer
        state.withLock { $0.passed = first }
    }

    deinit {
        state.withLock { $0.stopTimer.take() }?()
    }

    /// Takes the newest value.
    package func take(_ new: Value) {
        // Released after the lock.
        var earlier: Value?
        var stopTimer: (@Sendable () -> Void)?
        let step = state.withLock { state -> Step in
            earlier = state.held
            guard let passed = state.passed else {
                state.passed = new
                return .pass
            }
            if isRepetition(passed, new) {
                state.held = nil
            } else {
                defer { state.held = new }
                if let held = state.held, isRepetition(held, new) { return .nothing }
            }
            state.round += 1
            stopTimer = state.stopTimer.take()
            return isRepetition(passed, new) ? .nothing : .hold(round: state.round)
        }
        stopTimer?()
        withExtendedLifetime(earlier) {}
        switch step {
        case .pass: pass(new)
        case .hold(let round): start(round)
        case .nothing: break
        }
    }

    private func start(_ round: Int) {
        let stop = startTimer { [weak self] in self?.expire(round) }
        let isLate = state.withLock { state in
            guard state.round == round, state.held != nil else { return true }
            state.stopTimer = stop
            return false
        }
        if isLate { stop() }
    }

    private func expire(_ round: Int) {
        let (value, earlier) = state.withLock { state -> (Value?, Value?) in
            guard state.round == round, let held = state.held.take() else { return (nil, nil) }
            defer { state.passed = held }
            return (held, state.passed)
        }
        withExtendedLifetime(earlier) {}
        if let value { pass(value) }
    }

    /// Starts over: earlier values are not passed on, and the next one is passed on at once.
    package func reset() {
        var remains = State()
        state.withLock { state in
            remains.round = state.round + 1
            swap(&remains, &state)
        }
        remains.stopTimer?()
    }
}
