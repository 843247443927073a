// SPDX-License-Identifier: MIT

public import Dispatch
public import NetworkReachability

/// Finds out, with a probe of your choice, whether a server answers behind the route: full access,
/// a captive portal, or nothing.
///
///     let monitor = try ConnectivityMonitor(probe: .http("http://probe.example.com/generate_204"))
///     for await state in monitor.states {
///         print(state.level)
///     }
///
/// `NetworkReachability` reads routes and sends at most DNS queries. While you listen or iterate, a
/// connectivity monitor also sends probes: at the start, after each change of the target's path,
/// and at a slow pace in between; see <doc:Probes>. It sends none while the target has no route, or
/// if a probe would dial a connection. When the last listener or iteration ends, the running probe is
/// cancelled.
///
/// Monitors with equal targets, options, and HTTP or TCP probes share one schedule: the server
/// receives one probe, and all monitors its result.
///
/// Any thread may use a monitor. A child of fork() has no threads of libdispatch or Swift
/// concurrency, so it sends no probes and never calls the parent's listeners.
public final class ConnectivityMonitor: Sendable {
    /// The target whose path is probed.
    public let target: ReachabilityTarget

    let driver: ConnectivityDriver
    /// Identifies this monitor's subscribers: other monitors may share the driver.
    var identity: ObjectIdentifier { ObjectIdentifier(self) }

    /// Creates a monitor, which sends nothing yet.
    ///
    /// - Parameters:
    ///   - target: The target. Its interface, mark, family, and namespace apply to the probe, too.
    ///   - probe: The probe to send.
    ///   - options: How often to probe.
    /// - Throws: `ReachabilityError` with the code `invalidTarget` if the parts of the target contradict each
    ///   other, or if it has no address that a TCP probe could connect to.
    public init(
        target: ReachabilityTarget = .internet, probe: ConnectivityProbe,
        options: ConnectivityOptions = ConnectivityOptions()
    ) throws(ReachabilityError) {
        let manager = try NetworkReachabilityManager(target: target)
        try probe.check(target)
        self.target = target
        driver = ConnectivityDriver.shared(
            ConnectivityDriver.Plan(
                manager: manager, probe: probe, options: options.corrected))
    }

    /// Creates a monitor with a manager of its own.
    package init(
        manager: NetworkReachabilityManager, probe: ConnectivityProbe,
        options: ConnectivityOptions = ConnectivityOptions()
    ) throws(ReachabilityError) {
        target = manager.target
        try probe.check(target)
        driver = ConnectivityDriver(
            ConnectivityDriver.Plan(
                manager: manager, probe: probe, options: options.corrected))
    }

    deinit {
        driver.end(of: identity)
    }

    /// The latest state; ``ConnectivityState/unknown`` before the first answer, and while neither
    /// this monitor nor an equal one has a listener.
    public var state: ConnectivityState { driver.latest }

    /// The current state once it is known, and every change.
    ///
    ///     for await state in monitor.states where state.level == .full {
    ///         print("online over \(state.snapshot.interface?.name ?? "?")")
    ///     }
    public var states: ReachabilityUpdates<ConnectivityState, Never> {
        updates { continuation in .changes { continuation.yield(.success($0)) } }
    }

    /// Each probe that was answered or failed, and its time; for metrics.
    ///
    /// Like ``states``, an iteration keeps probes going. Probes that a path change cancelled aren't
    /// included. Only the newest probe is buffered; probes are seconds apart.
    public var probes: ReachabilityUpdates<ConnectivityProbeReport, Never> {
        updates { continuation in .probes { continuation.yield(.success($0)) } }
    }

    private func updates<Element>(
        _ interest:
            @escaping @Sendable (
                ReachabilityUpdates<Element, Never>.Stream.Continuation
            ) -> ConnectivityDriver.Interest
    ) -> ReachabilityUpdates<Element, Never> {
        ReachabilityUpdates { continuation in
            let unsubscribe = self.driver.subscribe(of: self.identity, to: interest(continuation))
            // Not in `onTermination`, which Task.cancel() calls under the task's status lock.
            return { [self] in
                // In a child of fork(), both locks may stay locked: a thread of the parent held them.
                guard driver.isOfThisProcess else { return }
                unsubscribe()
                continuation.finish()
            }
        }
    }

    /// Adds a listener on the main actor; see ``addListener(queue:stable:_:)``.
    ///
    /// - Parameters:
    ///   - time: How long a change must last.
    ///   - handler: The closure to call, on the main queue, which the main actor runs on.
    /// - Returns: A handle that cancels the listener.
    @discardableResult
    public func addListener(
        stable time: Duration = .zero,
        _ handler: @escaping @MainActor (ConnectivityState) -> Void
    ) -> ReachabilityListener {
        addListener(queue: .main, stable: time, fromMainQueue(handler))
    }

    /// Adds a listener, which receives the current state once it is known, and every change.
    ///
    /// While the queue is busy, changes are merged: the next call receives the newest state. The listener stays
    /// until you cancel it or release the monitor, even if you release its handle.
    ///
    /// - Parameters:
    ///   - queue: The queue that runs the handler.
    ///   - time: How long a change must last before it is reported, not counting suspension of the host. The first
    ///     state is reported at once. With zero or less, every change is reported at once.
    ///   - handler: The closure to call.
    /// - Returns: A handle that cancels the listener.
    @discardableResult
    public func addListener(
        queue: DispatchQueue, stable time: Duration = .zero,
        _ handler: @escaping @Sendable (ConnectivityState) -> Void
    ) -> ReachabilityListener {
        let call = NewestCall(queue: queue, handler: handler)
        let unsubscribe = driver.subscribe(of: identity, to: .changes(call.submit(stable: time)))
        return ReachabilityListener { [driver] in
            guard driver.isOfThisProcess else { return }
            call.cancel()
            unsubscribe()
        }
    }

    /// Probes now, with or without listeners.
    ///
    /// Uses the running probe if there is one, and a probe of the new path if the path changes
    /// meanwhile.
    ///
    /// - Returns: The resulting state; if the task is cancelled, one with ``ConnectivityFailure/Code/cancelled``.
    public func check() async -> ConnectivityState {
        guard driver.isOfThisProcess else { return .unknown }
        let answer = FirstOutcome<ConnectivityState>()
        let unsubscribe = driver.subscribe(of: identity, to: .answers(answer.end))
        defer { unsubscribe() }
        return await answer.value(
            ifCancelled: ConnectivityState(level: .unknown, failure: .cancelled))
    }
}

extension ConnectivityProbe {
    fileprivate func check(_ target: ReachabilityTarget) throws(ReachabilityError) {
        guard case .tcp = kind else { return }
        let hasAddress =
            switch target.kind {
            case .internet, .localWiFi: false
            case .address(let address): !address.isUnspecified
            case .addressPair(_, let remote): remote != nil
            case .domain: true
            }
        guard hasAddress else {
            throw ReachabilityError(
                .invalidTarget, input: target.description,
                "a TCP probe connects to the target, and '\(target)' has no address; "
                    + "give an address or a name")
        }
    }
}

extension ConnectivityOptions {
    /// Lower bounds prevent a storm of probes; upper bounds keep sums and multiples from
    /// overflowing.
    fileprivate var corrected: ConnectivityOptions {
        let longest = Duration.seconds(365 * 86_400)
        var options = self
        options.retryInterval = min(max(retryInterval, .milliseconds(10)), longest)
        options.interval = min(max(interval, options.retryInterval), longest)
        options.debounceInterval = min(max(debounceInterval, .zero), longest)
        return options
    }
}

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
        guard !Task.isCancelled, driver.isOfThisProcess else {
            throw .cancelled(waitingFor: target)
        }
        let waiter = Waiter(target, after: state, stable: time, until: isSatisfied)
        let unsubscribe = driver.subscribe(of: identity, to: .changes { waiter.take($0) })
        defer { unsubscribe() }
        return try await waiter.value(timeout: timeout)
    }
}
