// SPDX-License-Identifier: MIT

extension NetworkReachabilityManager {
    /// Waits until the target is reachable.
    ///
    ///     try await NetworkReachabilityManager(domain: "db.example.com")
    ///         .waitUntilReachable(timeout: .seconds(30))
    ///
    /// See ``wait(timeout:stable:until:)`` for details, and <doc:Waiting> for examples.
    ///
    /// - Parameters:
    ///   - timeout: The longest time to wait; nil for no limit.
    ///   - time: How long the target must be reachable without interruption.
    /// - Returns: The first reachable state, or with `stable` the state at the end of that time.
    /// - Throws: The errors of ``wait(timeout:stable:until:)``.
    @discardableResult
    public func waitUntilReachable(
        timeout: Duration? = nil, stable time: Duration = .zero
    ) async throws(ReachabilityError) -> ReachabilitySnapshot {
        try await wait(timeout: timeout, stable: time) { $0.status.isReachable }
    }

    /// Waits until the target is not reachable.
    ///
    /// - Parameters:
    ///   - timeout: The longest time to wait; nil for no limit.
    ///   - time: How long the target must be unreachable without interruption.
    /// - Returns: The first unreachable state, with its ``ReachabilitySnapshot/reason``, or with `stable` the
    ///   state at the end of that time.
    /// - Throws: The errors of ``wait(timeout:stable:until:)``.
    @discardableResult
    public func waitUntilNotReachable(
        timeout: Duration? = nil, stable time: Duration = .zero
    ) async throws(ReachabilityError) -> ReachabilitySnapshot {
        try await wait(timeout: timeout, stable: time) { !$0.status.isReachable }
    }

    /// Waits for a state of the target.
    ///
    /// The current state is checked first, then each change. A name counts once it is resolved: a state with
    /// ``NameResolution/pending`` is skipped, whatever the target's policy. A wait is independent of
    /// ``startMonitoring()`` and ``stopMonitoring()``: it neither starts nor ends monitoring, calls no
    /// callback, and changes no property. It keeps the manager alive.
    ///
    /// - Parameters:
    ///   - timeout: The longest time to wait, not counting time during which the host is suspended; nil for
    ///     no limit. With zero or less, the current state is checked once.
    ///   - time: How long states must satisfy the closure without interruption, like the option `--stable` of
    ///     `reachctl wait`; zero for no time. If the timeout is shorter, the wait can't succeed.
    ///   - isSatisfied: Returns whether the state ends the wait. It runs on a thread of the library, and
    ///     must not block.
    /// - Returns: The first state that `isSatisfied` accepts, or with `stable` the state at the end of that time.
    /// - Throws: ``ReachabilityError/Code/timedOut``, with the last state in the text; ``ReachabilityError/Code/cancelled`` if the task is
    ///   cancelled, before or during the wait; the errors of ``startMonitoring()``, where
    ///   ``ReachabilityError/Code/watchingUnsupported`` means that the current state doesn't end the wait; or the
    ///   error of a monitor that fails during the wait.
    @discardableResult
    public func wait(
        timeout: Duration? = nil, stable time: Duration = .zero,
        until isSatisfied: @escaping @Sendable (_ snapshot: ReachabilitySnapshot) -> Bool
    ) async throws(ReachabilityError) -> ReachabilitySnapshot {
        guard !Task.isCancelled else { throw .cancelled(waitingFor: target) }
        let waiter = Waiter(target, stable: time, until: isSatisfied)
        let session = MonitoringSession(receiver: waiter)
        let subscription = try subscribe(waiter, session, timeout: timeout)
        defer {
            session.end()
            subscription.cancel()
        }
        return try await waiter.value(timeout: timeout)
    }

    /// Where multicast groups are refused, subscribes to the current state only, the last one that can end the wait.
    private func subscribe(
        _ waiter: Waiter<ReachabilitySnapshot>, _ session: MonitoringSession, timeout: Duration?
    ) throws(ReachabilityError) -> any MonitorSubscription {
        do throws(ReachabilityError) {
            return try source.subscribe(session, to: target)
        } catch {
            guard error.code == .watchingUnsupported else { throw error }
            waiter.endWithFirst(timeout.map { $0 <= .zero } == true ? nil : error)
            return try source.subscribe(session, to: target, once: true)
        }
    }

    /// Queries the current state of the target, and waits for a name to be resolved.
    ///
    /// Unlike ``currentSnapshot()``, it suspends until a name is resolved or its resolution fails. After a
    /// failure the state is not reachable, with the ``ReachabilitySnapshot/reason``. If the name is in use, or was
    /// in the last 5 seconds, its addresses count without another query.
    ///
    /// - Parameter timeout: The longest time to wait for the resolution, as in ``wait(timeout:stable:until:)``;
    ///   nil for no limit except the resolver's own. For other targets there is no wait.
    /// - Returns: The state.
    /// - Throws: ``ReachabilityError/Code/timedOut`` if the name is not resolved in time;
    ///   ``ReachabilityError/Code/cancelled`` if the task is cancelled; or the errors of
    ///   ``startMonitoring()``.
    public func check(
        timeout: Duration? = nil
    ) async throws(ReachabilityError) -> ReachabilitySnapshot {
        if case .domain = target.kind { return try await wait(timeout: timeout) { _ in true } }
        guard !Task.isCancelled else { throw .cancelled(waitingFor: target) }
        return try currentSnapshot()
    }

    /// Sleeps for some time, or until the path to the target is new, as in ``pathChanges``: another try is likely to
    /// succeed then.
    ///
    ///     var pause = Duration.seconds(1)
    ///     while try await !manager.check().status.isReachable {
    ///         pause = try await manager.sleep(for: pause) ? .seconds(1) : pause * 2
    ///     }
    ///
    /// If the target is unreachable, the sleep ends when it becomes reachable. Where changes can't be watched
    /// (``ReachabilityError/Code/watchingUnsupported``), it lasts for the whole time.
    ///
    /// - Parameter time: The longest time, not counting time during which the host is suspended.
    /// - Returns: Whether the path is new.
    /// - Throws: The errors of ``wait(timeout:stable:until:)``, except a timeout.
    @discardableResult
    public func sleep(for time: Duration) async throws(ReachabilityError) -> Bool {
        let path = Lock(PathTracker())
        do throws(ReachabilityError) {
            try await wait(timeout: time) { snapshot in path.withLock { $0.isNew(snapshot) } }
            return true
        } catch {
            switch error.code {
            case .timedOut: return false
            case .watchingUnsupported:
                guard (try? await Task.sleep(for: time, clock: .suspending)) != nil else {
                    throw .cancelled(waitingFor: target)
                }
                return false
            default: throw error
            }
        }
    }
}

extension Waiter: MonitorReceiver where Value == ReachabilitySnapshot {
    package func receive(
        _ snapshot: ReachabilitySnapshot, in session: MonitoringSession
    ) -> [Delivery] {
        if !session.isEnded { take(snapshot, isFinal: snapshot.resolution != .pending) }
        return []
    }

    package func fail(_ errno: ReachabilityErrno, in session: MonitoringSession) -> [Delivery] {
        fail(.system(errno, doing: "monitoring"))
        return []
    }
}

/// Recognizes new paths among the states of one target.
struct PathTracker: Sendable {
    /// The latest path, if there was one.
    private var last: ReachabilitySnapshot?
    private var isInterrupted = false

    /// Takes the next state, and returns whether it is a new path.
    mutating func isNew(_ snapshot: ReachabilitySnapshot) -> Bool {
        guard snapshot.resolution != .pending else { return false }
        guard snapshot.status.isReachable else {
            isInterrupted = true
            return false
        }
        defer { (last, isInterrupted) = (snapshot, false) }
        guard let last, !isInterrupted else { return isInterrupted }
        return last.interface?.index != snapshot.interface?.index
            || (last.source, last.gateway) != (snapshot.source, snapshot.gateway)
            || Set(last.addresses) != Set(snapshot.addresses)
    }
}
