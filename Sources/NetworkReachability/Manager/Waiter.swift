// SPDX-License-Identifier: MIT

internal import Dispatch

/// Receives states for a task that waits for one.
///
/// The first outcome ends the wait: the awaited state, a failure, the timeout, or the cancellation of the task.
final class Waiter: MonitorReceiver {
    typealias Outcome = Result<ReachabilitySnapshot, ReachabilityError>

    private struct State: Sendable {
        /// The latest state; until there is one, the timeout doesn't end the wait.
        var latest: ReachabilitySnapshot?
        var isLate = false
        /// Whether the first state of a resolved name or other target ends the wait in any case: with `rest`, or
        /// as at the timeout.
        var endsWithFirst = false
        var rest: ReachabilityError?
    }

    private let target: ReachabilityTarget
    private let awaited: AwaitedValue<ReachabilitySnapshot>
    private let state = Lock(State())
    private let first = FirstOutcome<Outcome>()

    init(
        _ target: ReachabilityTarget, stable time: Duration = .zero,
        until isSatisfied: @escaping @Sendable (ReachabilitySnapshot) -> Bool
    ) {
        self.target = target
        awaited = AwaitedValue(stable: time) { snapshot in
            snapshot.resolution != .pending && isSatisfied(snapshot)
        } found: { [first] snapshot in
            first.end(.success(snapshot))
        }
    }

    func receive(_ snapshot: ReachabilitySnapshot, in session: MonitoringSession) -> [Delivery] {
        guard !session.isEnded else { return [] }
        awaited.look(at: snapshot)
        let state = state.withLock { state in
            state.latest = snapshot
            return state
        }
        let isLast = state.endsWithFirst && snapshot.resolution != .pending
        if isLast, let rest = state.rest { first.end(.failure(rest)) }
        if isLast || state.isLate {
            first.end(.failure(.timedOut(waitingFor: target, in: snapshot)))
        }
        return []
    }

    /// Ends the wait with the first final state: by `error` or else a timeout, unless the state is the awaited one.
    func endWithFirst(_ error: ReachabilityError?) {
        state.withLock { ($0.endsWithFirst, $0.rest) = (true, error) }
    }

    func fail(_ errno: ReachabilityErrno, in session: MonitoringSession) -> [Delivery] {
        first.end(.failure(.system(errno, doing: "monitoring")))
        return []
    }

    /// Waits for the outcome.
    func outcome() async -> Outcome {
        await first.value(ifCancelled: .failure(.cancelled(waitingFor: target)))
    }

    /// Starts the timer of the timeout; the caller must cancel it.
    func startTimer(_ timeout: Duration) -> any DispatchSourceTimer {
        deadlineTimer(after: timeout) { [weak self] in self?.expire() }
    }

    /// Ends the wait at the timeout; if no state has arrived yet, the first one ends the wait.
    func expire() {
        let latest = state.withLock { state in
            state.isLate = true
            return state.latest
        }
        if let latest { first.end(.failure(.timedOut(waitingFor: target, in: latest))) }
    }
}
