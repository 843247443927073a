// SPDX-License-Identifier: MIT

internal import Dispatch

/// The receiver of one wait for a state, with the task that waits.
///
/// The first outcome counts, whether a state, a failure, the end of the time or the cancellation brings
/// it.
final class Waiter: MonitorReceiver {
    typealias Outcome = Result<ReachabilitySnapshot, ReachabilityError>

    private struct State: Sendable {
        /// Whether a state was reported, which was not waited for.
        var hasState = false
        var isLate = false
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
        let isLate = state.withLock { state in
            state.hasState = true
            return state.isLate
        }
        if isLate { first.end(.failure(.timedOut(waitingFor: target))) }
        return []
    }

    func fail(_ errno: ReachabilityErrno, in session: MonitoringSession) -> [Delivery] {
        first.end(.failure(.system(errno, doing: "monitoring")))
        return []
    }

    /// Waits for the outcome.
    func outcome() async -> Outcome {
        await first.value(ifCancelled: .failure(.cancelled(waitingFor: target)))
    }

    /// Starts a timer, to be cancelled by the caller.
    func startTimer(_ timeout: Duration) -> any DispatchSourceTimer {
        deadlineTimer(after: timeout) { [weak self] in self?.expire() }
    }

    /// Ends the wait once the time is up; if no state has arrived yet, the first one ends it.
    private func expire() {
        let hasState = state.withLock { state in
            state.isLate = true
            return state.hasState
        }
        if hasState { first.end(.failure(.timedOut(waitingFor: target))) }
    }
}
