// SPDX-License-Identifier: MIT

public import Dispatch
public import NetworkReachability

/// Asks, with a probe of your choice, whether there is more behind a route than the route itself: a captive
/// portal, no internet at all, or the server that was asked.
///
///     let monitor = try ConnectivityMonitor(probe: .http("http://probe.example.com/generate_204"))
///     for await state in monitor.states {
///         print(state.level)
///     }
///
/// `NetworkReachability` tells where packets are sent, and sends DNS queries at most. A connectivity monitor sends, while
/// somebody listens or iterates: at the start, when the path of the target has changed, and at a slow pace
/// while it has not; see <doc:Probes>. It does not ask while the target is not reachable by the routing
/// table, nor where that would dial a connection. After the last listener or iteration a question under way
/// is ended, and nothing is sent any more.
///
/// Monitors with equal targets, probes of HTTP or TCP, and options share one schedule: the server gets one
/// probe, whose answer is the state of all.
///
/// Can be used from any thread. In a child of fork(), where neither libdispatch nor Swift's concurrency has
/// threads, nothing is asked, and the listeners of the parent are not called.
public final class ConnectivityMonitor: Sendable {
    /// The target whose path is asked.
    public let target: ReachabilityTarget

    let hub: ConnectivityHub
    /// Of the subscribers, as other monitors may have the hub, too.
    let identity = SubscriberIdentity()

    /// Creates a monitor, which asks nothing yet.
    ///
    /// - Parameters:
    ///   - target: The target; what it is restricted to (interface, mark, family, namespace) restricts the
    ///     probe as well.
    ///   - probe: What is asked.
    ///   - options: How often it is asked.
    /// - Throws: `ReachabilityError` with the code `invalidTarget` if the parts of the target contradict each
    ///   other, or if it has no address that a TCP probe could connect to.
    public init(
        target: ReachabilityTarget = .internet, probe: ConnectivityProbe,
        options: ConnectivityOptions = ConnectivityOptions()
    ) throws(ReachabilityError) {
        let manager = try NetworkReachabilityManager(target: target)
        try probe.check(target)
        self.target = target
        hub = ConnectivityHub.shared(
            ConnectivitySession.Plan(
                manager: manager, probe: probe, options: options.corrected))
    }

    /// Creates a monitor of a manager that nobody else uses.
    package init(
        manager: NetworkReachabilityManager, probe: ConnectivityProbe,
        options: ConnectivityOptions = ConnectivityOptions()
    ) throws(ReachabilityError) {
        target = manager.target
        try probe.check(target)
        hub = ConnectivityHub(
            ConnectivitySession.Plan(
                manager: manager, probe: probe, options: options.corrected))
    }

    deinit {
        hub.end(of: identity)
    }

    /// The latest state; ``ConnectivityState/unknown`` before the first answer, and while nobody listens,
    /// neither to this monitor nor to an equal one.
    public var state: ConnectivityState { hub.latest }

    /// The current state once it is known, and every change.
    ///
    ///     for await state in monitor.states where state.level == .full {
    ///         print("online over \(state.snapshot.interface?.name ?? "?")")
    ///     }
    public var states: ReachabilityUpdates<ConnectivityState, Never> {
        updates { continuation in .changes { continuation.yield(.success($0)) } }
    }

    /// Each probe that is answered or fails, with the time that it took; for metrics.
    ///
    /// An iteration listens as ``states`` does, so there are probes while it runs. One that a change of the path has
    /// ended is not among them. Only the newest is buffered, and probes are seconds apart.
    public var probes: ReachabilityUpdates<ConnectivityProbeReport, Never> {
        updates { continuation in .probes { continuation.yield(.success($0)) } }
    }

    private func updates<Element>(
        _ interest:
            @escaping @Sendable (
                ReachabilityUpdates<Element, Never>.Stream.Continuation
            ) -> ConnectivityHub.Interest
    ) -> ReachabilityUpdates<Element, Never> {
        ReachabilityUpdates { continuation in
            let identity = SubscriberIdentity()
            self.hub.subscribe(identity, of: self.identity, to: interest(continuation))
            // Not in `onTermination`, which Task.cancel() calls under the task's status lock.
            return { [self] in
                // In a child of fork() a thread of the parent may hold the locks of both for ever.
                guard hub.isOfThisProcess else { return }
                hub.unsubscribe(identity)
                continuation.finish()
            }
        }
    }

    /// Adds a listener, which is called with the current state once it is known, and with every change.
    ///
    /// While the queue is busy changes are reported as one: the call that waits gets the newest state. The
    /// listener stays until it is cancelled or the monitor is released, whether its handle is kept or not.
    ///
    /// - Parameters:
    ///   - queue: The queue it is called on.
    ///   - time: How long a change has to last to be reported, without the time that the host is suspended; the
    ///     first state is reported at once. Zero or less for no time.
    ///   - handler: The listener.
    /// - Returns: A handle that cancels it.
    @discardableResult
    public func addListener(
        queue: DispatchQueue = .main, stable time: Duration = .zero,
        _ handler: @escaping @Sendable (ConnectivityState) -> Void
    ) -> ReachabilityListener {
        let call = NewestCall(queue: queue, handler: handler)
        let identity = SubscriberIdentity()
        hub.subscribe(identity, of: self.identity, to: .changes(call.submit(stable: time)))
        return ReachabilityListener { [hub] in
            guard hub.isOfThisProcess else { return }
            call.cancel()
            hub.unsubscribe(identity)
        }
    }

    /// Asks now, whether somebody listens or not.
    ///
    /// If a question is under way, its answer is used. If the path changes meanwhile, that of the new path.
    ///
    /// - Returns: The answer; if the task is cancelled, ``ConnectivityFailure/Code/cancelled``.
    public func check() async -> ConnectivityState {
        guard hub.isOfThisProcess else { return .unknown }
        let answer = FirstOutcome<ConnectivityState>()
        let identity = SubscriberIdentity()
        hub.subscribe(identity, of: self.identity, to: .answers(answer.end))
        defer { hub.unsubscribe(identity) }
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
            case .address(let address): address.bytes.contains { $0 != 0 }
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
    /// Times of at least a moment, so that a zero is no storm of questions, and with which a timer can be
    /// set: sums and multiples of larger ones overflow.
    fileprivate var corrected: ConnectivityOptions {
        let longest = Duration.seconds(365 * 86_400)
        var options = self
        options.retryInterval = min(max(retryInterval, .milliseconds(10)), longest)
        options.interval = min(max(interval, options.retryInterval), longest)
        options.debounceInterval = min(max(debounceInterval, .zero), longest)
        return options
    }
}
