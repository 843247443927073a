// SPDX-License-Identifier: MIT

public import Observation
internal import Synchronization

/// Monitors one target and reports changes of its reachability.
///
/// The Linux counterpart of AFNetworkReachabilityManager:
///
///     let manager = NetworkReachabilityManager.shared
///     manager.setReachabilityStatusChangeBlock { print($0) }
///     try manager.startMonitoring()
///
/// You can use a manager from any thread. All managers of a network namespace share one monitor, which
/// sleeps between kernel events. <doc:Semantics> describes which values are delivered, and when.
public final class NetworkReachabilityManager: Observable, Sendable {
    /// The manager for ``ReachabilityTarget/internet``, created at first use and never released.
    public static let shared = NetworkReachabilityManager()

    /// The target that is monitored.
    public let target: ReachabilityTarget

    let source: any MonitorSource
    let state = Lock(ManagerState())
    let registrar = ObservationRegistrar()
    /// The process that last started monitoring, else the one that created the manager.
    let process = OwnerProcess()
    /// Whether an observable property was ever read; before that, Observation has no observer to notify.
    let wasRead = Atomic(false)

    /// Creates a manager for ``ReachabilityTarget/internet``.
    public init() {
        target = .internet
        source = MonitorOptions.standard
    }

    /// Creates a manager for a host name.
    ///
    /// - Parameter domain: A host name, or a URL that has one; see
    ///   ``ReachabilityTarget/domain(_:policy:)``.
    /// - Throws: ``ReachabilityError`` if it is not a host name.
    public convenience init(domain: String) throws(ReachabilityError) {
        try self.init(target: .domain(domain))
    }

    /// Creates a manager for a numeric address.
    ///
    /// - Parameter address: The text; see ``NetworkAddress/init(_:)``.
    /// - Throws: ``ReachabilityError`` if it is not an address.
    public convenience init(address: String) throws(ReachabilityError) {
        try self.init(target: .address(address))
    }

    /// Creates a manager for an address.
    public convenience init(address: NetworkAddress) {
        self.init(validated: .address(address), source: MonitorOptions.standard)
    }

    /// Creates a manager for a target.
    ///
    /// - Throws: ``ReachabilityError/Code/invalidTarget`` if its parts contradict each other.
    public convenience init(target: ReachabilityTarget) throws(ReachabilityError) {
        try self.init(target: target, source: MonitorOptions.standard)
    }

    /// Creates a manager for a target whose monitor has these options.
    package convenience init(
        target: ReachabilityTarget, options: MonitorOptions
    ) throws(ReachabilityError) {
        try self.init(target: target, source: options)
    }

    /// Creates a manager for a target whose states come from `source`.
    package convenience init(
        target: ReachabilityTarget, source: any MonitorSource
    ) throws(ReachabilityError) {
        try target.validate()
        self.init(validated: target, source: source)
    }

    private init(validated target: ReachabilityTarget, source: any MonitorSource) {
        self.target = target
        self.source = source
    }

    deinit {
        stopMonitoring()
    }

    // MARK: Monitoring

    /// Starts monitoring.
    ///
    /// Does nothing if the target is monitored already.
    ///
    /// After a start, every callback receives the current state once, then every change. You can start again after
    /// ``stopMonitoring()``.
    ///
    /// - Throws: ``ReachabilityError`` if the namespace cannot be opened, a privilege is missing, the
    ///   kernel has no rtnetlink, or resources ran out.
    public func startMonitoring() throws(ReachabilityError) {
        _ = try state.withLock { state throws(ReachabilityError) in try state.start(self) }
        process.claim()
    }

    /// Stops monitoring, and ends all ``snapshots`` and ``statuses`` sequences.
    ///
    /// If you call it on the queue of a callback, that callback isn't called again. If you call it elsewhere, one
    /// call may still be running or about to run. The properties keep their values.
    public func stopMonitoring() {
        guard !isOfParent else { return }
        state.withLock { $0.stop() }.end()
    }

    /// Whether the target is monitored.
    public var isMonitoring: Bool {
        !isOfParent && state.withLock { $0.isMonitoring }
    }

    /// Whether this process is a child of fork(), and only its parent has started the manager.
    ///
    /// The lock must not be taken then: another thread of the parent may have held it at the fork.
    var isOfParent: Bool {
        !process.isCurrent
    }

    // MARK: State

    /// The latest status; ``NetworkReachabilityStatus/unknown`` before the first value, and in a child of fork().
    ///
    /// Observable.
    public var networkReachabilityStatus: NetworkReachabilityStatus {
        guard !isOfParent else { return .unknown }
        wasRead.store(true, ordering: .releasing)
        registrar.access(self, keyPath: \.networkReachabilityStatus)
        return state.withLock { $0.snapshot.status }
    }

    /// Whether the target is reachable; computed from ``networkReachabilityStatus``.
    public var isReachable: Bool {
        networkReachabilityStatus.isReachable
    }

    /// Whether the target is reachable over a cellular interface; computed from
    /// ``networkReachabilityStatus``.
    public var isReachableViaWWAN: Bool {
        networkReachabilityStatus == .reachableViaWWAN
    }

    /// Whether the target is reachable over Wi-Fi or any other interface that is not cellular; computed
    /// from ``networkReachabilityStatus``.
    public var isReachableViaWiFi: Bool {
        networkReachabilityStatus == .reachableViaWiFi
    }

    /// The latest state of the target; ``ReachabilitySnapshot/unknown`` before the first value, and in a child of
    /// fork().
    ///
    /// Observable. Consistent with ``networkReachabilityStatus``: both change in one assignment.
    public var snapshot: ReachabilitySnapshot {
        guard !isOfParent else { return .unknown }
        wasRead.store(true, ordering: .releasing)
        registrar.access(self, keyPath: \.snapshot)
        return state.withLock { $0.snapshot }
    }

    /// The latest flags, computed from ``snapshot``; empty before the first value.
    public var flags: ReachabilityFlags {
        snapshot.flags
    }

    /// Queries the current state of the target, whether it is monitored or not.
    ///
    /// The calling thread waits for the kernel's answer, but not for a name to be resolved. Until it is, the
    /// state follows the name's policy. If the target is monitored and the answer differs from
    /// ``snapshot``, the change is published like any other.
    ///
    /// - Throws: The errors of ``startMonitoring()``.
    public func currentSnapshot() throws(ReachabilityError) -> ReachabilitySnapshot {
        guard !isOfParent else { return try source.check(target) }
        let (running, latest) = state.withLock { ($0.isMonitoring ? $0.running : nil, $0.latest) }
        // Without a monitor, as in tests, the latest value is the current one.
        if let latest, let running, running.subscription == nil { return latest }
        if let read = try running?.subscription?.read() { return read }
        return try source.check(target)
    }
}

extension NetworkReachabilityManager {
    /// The snapshots of the target: the current one, then every change.
    ///
    ///     for try await snapshot in manager.snapshots {
    ///         print(snapshot.status, snapshot.interface?.name ?? "no interface")
    ///     }
    ///
    /// An iteration starts monitoring if needed. Unless you also called ``startMonitoring()``, monitoring stops
    /// when the last iteration ends. ``stopMonitoring()`` ends all iterations. An iteration throws if monitoring
    /// can't start, or fails.
    public var snapshots: ReachabilityUpdates<ReachabilitySnapshot, ReachabilityError> {
        ReachabilityUpdates { self.feed($0) { $0 } }
    }

    /// The statuses of the target: the current one, then each one that differs from the previous one.
    ///
    ///     for try await status in manager.statuses {
    ///         print(status.isReachable ? "online" : "offline")
    ///     }
    ///
    /// Iterations behave like those over ``snapshots``.
    public var statuses: ReachabilityUpdates<NetworkReachabilityStatus, ReachabilityError> {
        ReachabilityUpdates(isRepetition: ==) { self.feed($0) { $0.status } }
    }

    /// Each new path to the target, on which connections that were opened before may hang.
    ///
    ///     for try await snapshot in manager.pathChanges {
    ///         print("reconnect over", snapshot.interface?.name ?? "-")
    ///     }
    ///
    /// A path is new if its interface, source, or gateway differs, or the addresses of the name, in any order; and if
    /// the target was unreachable meanwhile, even if nothing else differs. An interface that is only renamed is the
    /// same. The current path isn't reported, nor is an outage before its end. Of several new paths, a slow consumer
    /// gets the newest.
    ///
    /// Like waits, iterations are independent of ``startMonitoring()`` and ``stopMonitoring()``. An iteration throws if
    /// monitoring can't start, or fails.
    public var pathChanges: ReachabilityUpdates<ReachabilitySnapshot, ReachabilityError> {
        ReachabilityUpdates { [self] continuation in
            // Here, since the stream would drop an outage between two states.
            let path = Lock(PathTracker())
            let independent = NetworkReachabilityManager(validated: target, source: source)
            let end = independent.feed(continuation) { new in
                path.withLock { $0.isNew(new) } ? new : nil
            }
            return { withExtendedLifetime(self) { end() } }
        }
    }

    /// Feeds an iteration with a part of each state, unless that is nil.
    private func feed<Element>(
        _ continuation: ReachabilityUpdates<Element, ReachabilityError>.Stream.Continuation,
        _ part: @escaping @Sendable (ReachabilitySnapshot) -> Element?
    ) -> @Sendable () -> Void {
        let iteration = SequenceIteration { report in
            guard let report else { return continuation.finish() }
            if report.hasFailed, let errno = report.snapshot.error {
                continuation.receive(.failure(.system(errno, doing: "monitoring")))
            } else if let element = part(report.snapshot) {
                continuation.yield(.success(element))
            }
        }
        let id: SubscriberID
        do throws(ReachabilityError) { id = try attach(iteration) } catch {
            continuation.receive(.failure(error))
            return {}
        }
        let detach: @Sendable () -> [Delivery] = { [weak self] in
            self?.detach(id)
            return []
        }
        // `Task.cancel()` calls this under the task's status lock, so no object may be released here.
        continuation.onTermination = { [source] _ in source.perform(detach) }
        return { [self] in
            withExtendedLifetime(self) { continuation.finish() }
        }
    }
}

extension NetworkReachabilityManager {
    /// Explains the current state of the target: the rule that decided the verdict, and its evidence.
    ///
    /// Like ``currentSnapshot()``, it waits for the kernel's answer, but not for a name to be resolved. It also
    /// queries the kernel for the matched prefix and the policy rule. The explanation contains the snapshot that
    /// it explains.
    ///
    /// The explanation isn't a property of ``ReachabilitySnapshot`` because few programs need it. Every change would
    /// have to copy the evidence (links below the interface, flags of addresses, policy rules) and look up some of it.
    ///
    /// - Throws: The errors of ``startMonitoring()``.
    public func explanation() throws(ReachabilityError) -> ReachabilityExplanation {
        let running = state.withLock { $0.isMonitoring ? $0.running : nil }
        if let explanation = try running?.subscription?.explain() { return explanation }
        return try source.explain(target)
    }
}
