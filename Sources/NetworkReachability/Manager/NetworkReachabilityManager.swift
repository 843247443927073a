// SPDX-License-Identifier: MIT

public import Observation
internal import Synchronization

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

/// Watches one target and tells when its reachability changes.
///
/// The Linux counterpart of AFNetworkReachabilityManager:
///
///     let manager = NetworkReachabilityManager.shared
///     manager.setReachabilityStatusChangeBlock { print($0) }
///     try manager.startMonitoring()
///
/// A manager can be used from any thread. All managers of a network namespace share one monitor,
/// which does nothing while nothing happens. See <doc:Semantics> for what is delivered when.
public final class NetworkReachabilityManager: Observable, Sendable {
    /// The manager of the internet target that is there from first use until the process ends.
    public static let shared = NetworkReachabilityManager()

    /// What is watched.
    public let target: ReachabilityTarget

    let options: MonitorOptions
    let state = Lock(ManagerState())
    let registrar = ObservationRegistrar()
    /// The process that has started monitoring last, 0 before.
    let process = Atomic<Int32>(0)
    /// Whether a property was read, which is how observing one begins; telling Observation takes time.
    let wasRead = Atomic(false)

    /// Watches whether there is a way out at all; see ``ReachabilityTarget/internet``.
    public init() {
        target = .internet
        options = .standard
    }

    /// Watches a host name.
    ///
    /// - Parameter domain: A host name, or a URL that has one; see
    ///   ``ReachabilityTarget/domain(_:policy:)``.
    /// - Throws: ``ReachabilityError`` for what is no host name.
    public convenience init(domain: String) throws(ReachabilityError) {
        try self.init(target: .domain(domain))
    }

    /// Watches a numeric address.
    ///
    /// - Parameter address: The text; see ``NetworkAddress/init(_:)``.
    /// - Throws: ``ReachabilityError`` for what is no address.
    public convenience init(address: String) throws(ReachabilityError) {
        try self.init(target: .address(address))
    }

    /// Watches an address.
    public convenience init(address: NetworkAddress) {
        self.init(validated: .address(address), options: .standard)
    }

    /// Watches a target.
    ///
    /// - Throws: ``ReachabilityError/Code/invalidTarget`` if its parts do not go together.
    public convenience init(target: ReachabilityTarget) throws(ReachabilityError) {
        try self.init(target: target, options: .standard)
    }

    /// Watches a target with a monitor of these options.
    package convenience init(
        target: ReachabilityTarget, options: MonitorOptions
    ) throws(ReachabilityError) {
        try target.validate()
        self.init(validated: target, options: options)
    }

    private init(validated target: ReachabilityTarget, options: MonitorOptions) {
        self.target = target
        self.options = options
    }

    deinit {
        stopMonitoring()
    }

    // MARK: Monitoring

    /// Begins to watch.
    ///
    /// Does nothing if it has begun already.
    ///
    /// The current state is then delivered once to every callback, and every change after it. After
    /// ``stopMonitoring()`` it can be called again.
    ///
    /// - Throws: ``ReachabilityError`` if the namespace cannot be opened, a privilege is missing, the
    ///   kernel has no rtnetlink, or resources ran out.
    public func startMonitoring() throws(ReachabilityError) {
        _ = try state.withLock { state throws(ReachabilityError) in try state.start(self) }
        process.store(getpid(), ordering: .releasing)
    }

    /// Stops watching, and ends all ``snapshots`` and ``statuses`` sequences.
    ///
    /// If it is called on the queue of a callback, that callback is not called any more once it has
    /// returned; on another queue one call may still be under way. The properties keep what they have.
    public func stopMonitoring() {
        // What the parent of a process that was forked has started is not ours to stop, and another of its
        // threads may have held the lock then.
        let starter = process.load(ordering: .acquiring)
        guard starter == 0 || starter == getpid() else { return }
        state.withLock { $0.stop() }.end()
    }

    /// Whether the target is being watched.
    public var isMonitoring: Bool {
        state.withLock { $0.isMonitoring }
    }

    // MARK: State

    /// The latest status, ``NetworkReachabilityStatus/unknown`` before the first value.
    ///
    /// Observable.
    public var networkReachabilityStatus: NetworkReachabilityStatus {
        wasRead.store(true, ordering: .releasing)
        registrar.access(self, keyPath: \.networkReachabilityStatus)
        return state.withLock { $0.snapshot.status }
    }

    /// Whether the target is reachable, over whatever; follows from ``networkReachabilityStatus``.
    public var isReachable: Bool {
        networkReachabilityStatus.isReachable
    }

    /// Whether the target is reachable over a cellular interface; follows from
    /// ``networkReachabilityStatus``.
    public var isReachableViaWWAN: Bool {
        networkReachabilityStatus == .reachableViaWWAN
    }

    /// Whether the target is reachable over Wi-Fi or anything else that is not cellular; follows from
    /// ``networkReachabilityStatus``.
    public var isReachableViaWiFi: Bool {
        networkReachabilityStatus == .reachableViaWiFi
    }

    /// All that is known of the target, ``ReachabilitySnapshot/unknown`` before the first value.
    ///
    /// Observable. It always fits ``networkReachabilityStatus``: both change in one assignment.
    public var snapshot: ReachabilitySnapshot {
        wasRead.store(true, ordering: .releasing)
        registrar.access(self, keyPath: \.snapshot)
        return state.withLock { $0.snapshot }
    }

    /// The latest flags, empty before the first value; follows from ``snapshot``.
    public var flags: ReachabilityFlags {
        snapshot.flags
    }

    /// What is known of the target right now, whether it is watched or not.
    ///
    /// The kernel is asked. If that tells something new of a target that is watched, ``snapshot`` and
    /// whoever is told follow. A name is not waited for: until its first resolution the answer follows its
    /// policy.
    ///
    /// - Throws: What ``startMonitoring()`` throws.
    public func currentSnapshot() throws(ReachabilityError) -> ReachabilitySnapshot {
        let (running, latest) = state.withLock { ($0.isMonitoring ? $0.running : nil, $0.latest) }
        // Values that come from elsewhere than a monitor are the latest there are.
        if let latest, let running, running.subscription == nil { return latest }
        if let read = try running?.subscription?.read() { return read }
        return try MonitorHandle.check(target, options: options)
    }

    /// Asks everything again, for what the kernel never announces: the policy by which it spreads packets
    /// over several routes (`fib_multipath_hash_policy`), whether dead neighbours count there
    /// (`fib_multipath_use_neigh`), and the labels of IPv6 addresses (`ip addrlabel`).
    ///
    /// What is different is then told as any change is. All targets in the same network namespace are
    /// asked. Does nothing unless the target is watched.
    public func refresh() {
        let running = state.withLock { $0.isMonitoring ? $0.running : nil }
        running?.subscription?.refresh()
    }
}
