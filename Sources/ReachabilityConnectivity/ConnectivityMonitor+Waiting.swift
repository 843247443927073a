// SPDX-License-Identifier: MIT

public import NetworkReachability

extension ConnectivityMonitor {
    /// Waits until the probe gets the expected answer.
    ///
    ///     let monitor = try ConnectivityMonitor(probe: .http("http://probe.example.com/generate_204"))
    ///     try await monitor.waitUntilConnected(timeout: .seconds(60))
    ///
    /// An answer over an earlier path doesn't count while a probe of the new path is due.
    ///
    /// - Parameters:
    ///   - timeout: The longest time to wait; nil for no limit.
    ///   - time: How long the level must last without interruption.
    /// - Returns: The first state with ``ConnectivityLevel/full``, or the latest one once the level has lasted `time`.
    /// - Throws: As ``wait(timeout:stable:until:)``.
    @discardableResult
    public func waitUntilConnected(
        timeout: Duration? = nil, stable time: Duration = .zero
    ) async throws(ReachabilityError) -> ConnectivityState {
        try await wait(timeout: timeout, stable: time) { $0.level == .full && !$0.isChecking }
    }

    /// Waits for a state.
    ///
    /// A wait is a listener: a probe is sent when it begins, unless there are other listeners, and
    /// after each change of the path. It keeps the monitor alive.
    ///
    /// - Parameters:
    ///   - timeout: The longest time to wait, not counting suspension of the host; nil for no
    ///     limit. If it is shorter than a probe takes, the wait may end before the first answer.
    ///   - time: How long states must satisfy the closure without interruption; with zero, the
    ///     first such state ends the wait.
    ///   - isSatisfied: Returns whether to end the wait. Runs on a queue of the library; don't
    ///     block it.
    /// - Returns: The first state for which `isSatisfied` returns true, or the latest one after `time`.
    /// - Throws: `ReachabilityError` with the code `timedOut`, or `cancelled` if the task is
    ///   cancelled before or during the wait. If the path can't be monitored, the wait goes on: the
    ///   state has a ``ConnectivityState/failure``, and the monitor tries again.
    @discardableResult
    public func wait(
        timeout: Duration? = nil, stable time: Duration = .zero,
        until isSatisfied: @escaping @Sendable (_ state: ConnectivityState) -> Bool
    ) async throws(ReachabilityError) -> ConnectivityState {
        guard !Task.isCancelled, hub.isOfThisProcess else { throw .cancelled(waitingFor: target) }
        let waiter = Waiter(target, after: state, stable: time, until: isSatisfied)
        let unsubscribe = hub.subscribe(of: identity, to: .changes { waiter.take($0) })
        defer { unsubscribe() }
        return try await waiter.value(timeout: timeout)
    }
}
