// SPDX-License-Identifier: MIT

/// The state of a manager, kept in its lock.
///
/// It runs under the lock, so it neither calls nor releases closures: it returns deliveries and removed
/// objects.
struct ManagerState: Sendable {
    /// A callback, and the value that its last call in this session reported; nil before the first call.
    struct Entry: Sendable {
        let callback: Callback
        var last: Callback.Reported?
    }

    /// The session that is running.
    struct Running: Sendable {
        let session: MonitoringSession
        /// Nil in tests that report values without a monitor.
        let subscription: (any MonitorSubscription)?
        /// Whether a value was reported; nothing is delivered before that.
        var hasValue = false
        /// Whether the monitor failed; a stop or another start ends the session.
        var hasFailed = false
    }

    /// Objects that a stop removed; end them after the lock is released.
    struct Remains: Sendable {
        var running: Running?
        var iterations: [SequenceIteration] = []

        func end() {
            running?.session.end()
            running?.subscription?.cancel()
            for iteration in iterations { iteration.finish() }
        }
    }

    /// The effects of a new state.
    struct Published: Sendable {
        let old: ReachabilitySnapshot
        var deliveries: [Delivery] = []
        let observers: [any PropertyObserver]
        let versions: Versions
    }

    private(set) var snapshot = ReachabilitySnapshot.unknown
    private(set) var versions = Versions()
    private(set) var running: Running?
    private(set) var observers: [any PropertyObserver] = []
    private var isStarted = false
    private var block: Entry?
    private var listeners: [Entry] = []
    private var iterations: [ObjectIdentifier: SequenceIteration] = [:]

    var isMonitoring: Bool {
        running.map { !$0.hasFailed && $0.session.isOfThisProcess } ?? false
    }

    /// The snapshot, if it is that of a running session.
    var latest: ReachabilitySnapshot? {
        isMonitoring && running?.hasValue == true ? snapshot : nil
    }

    // MARK: Start and stop

    /// Starts a session unless one is running, and returns the one it replaces.
    mutating func start(
        _ manager: NetworkReachabilityManager
    ) throws(ReachabilityError) -> Running? {
        let replaced = try begin(manager)
        isStarted = true
        return replaced
    }

    mutating func stop() -> Remains {
        defer {
            running = nil
            iterations = [:]
            isStarted = false
        }
        return Remains(running: running, iterations: Array(iterations.values))
    }

    private mutating func begin(
        _ manager: NetworkReachabilityManager
    ) throws(ReachabilityError) -> Running? {
        guard !isMonitoring else { return nil }
        let session = MonitoringSession(receiver: manager)
        let subscription = try manager.source.subscribe(session, to: manager.target)
        return run(session, subscription)
    }

    /// Accepts values of `session` from now on, and returns the session it replaces.
    mutating func run(
        _ session: MonitoringSession, _ subscription: (any MonitorSubscription)?
    ) -> Running? {
        let replaced = running
        replaced?.session.end()
        running = Running(session: session, subscription: subscription)
        block?.last = nil
        for index in listeners.indices { listeners[index].last = nil }
        return replaced
    }

    // MARK: Callbacks

    mutating func setBlock(_ callback: Callback?) -> Callback? {
        defer { block = callback.map { Entry(callback: $0) } }
        return block?.callback
    }

    mutating func add(_ callback: Callback) {
        listeners.append(Entry(callback: callback))
    }

    mutating func remove(_ callback: Callback) -> Entry? {
        listeners.firstIndex { $0.callback === callback }.map { listeners.remove(at: $0) }
    }

    mutating func add(_ observer: any PropertyObserver) {
        observers.append(observer)
    }

    mutating func remove(_ observer: any PropertyObserver) -> (any PropertyObserver)? {
        observers.firstIndex { $0 === observer }.map { observers.remove(at: $0) }
    }

    mutating func attach(
        _ iteration: SequenceIteration, _ manager: NetworkReachabilityManager
    ) throws(ReachabilityError) -> Running? {
        let replaced = try begin(manager)
        iterations[ObjectIdentifier(iteration.identity)] = iteration
        return replaced
    }

    /// Removes an iteration, and stops if it was the last one and startMonitoring() was not called.
    mutating func detach(_ identity: SubscriberIdentity) -> Remains {
        guard let iteration = iterations.removeValue(forKey: ObjectIdentifier(identity)) else {
            return Remains()
        }
        guard iterations.isEmpty, !isStarted else { return Remains(iterations: [iteration]) }
        var remains = stop()
        remains.iterations.append(iteration)
        return remains
    }

    // MARK: Publishing

    /// Assigns all properties at once: a reader sees the old state or the new one.
    ///
    /// Returns nil if `session` is not the running one.
    mutating func publish(
        _ new: ReachabilitySnapshot, from session: MonitoringSession, failure: ReachabilityError?
    ) -> Published? {
        guard running?.session === session else { return nil }
        let old = snapshot
        if new != snapshot { versions.snapshot += 1 }
        if new.status != snapshot.status { versions.status += 1 }
        snapshot = new
        running?.hasValue = true
        var published = Published(
            old: old, deliveries: notifyCallbacks { _ in true }, observers: observers,
            versions: versions)
        for (identity, iteration) in iterations {
            if !iteration.hasCurrent { iterations[identity]?.hasCurrent = true }
            published.deliveries.append(
                .here {
                    guard let failure else { return iteration.yield(new) }
                    iteration.finish(throwing: failure)
                })
        }
        guard failure != nil else { return published }
        running?.hasFailed = true
        isStarted = false
        iterations = [:]
        return published
    }

    /// The first calls of callbacks that were added after the current value was delivered.
    mutating func catchUp() -> [Delivery] {
        latest == nil ? [] : notifyCallbacks { $0.last == nil }
    }

    /// The first value of an iteration that was added after the current value was delivered.
    mutating func catchUp(_ identity: SubscriberIdentity) -> [Delivery] {
        let key = ObjectIdentifier(identity)
        guard let latest, let iteration = iterations[key], !iteration.hasCurrent else { return [] }
        iterations[key]?.hasCurrent = true
        return [.here { iteration.yield(latest) }]
    }

    private mutating func notifyCallbacks(where isDue: (Entry) -> Bool) -> [Delivery] {
        guard let session = running?.session else { return [] }
        let snapshot = snapshot
        var deliveries: [Delivery] = []
        func notify(_ entry: inout Entry) {
            let isFirst = entry.last == nil
            guard isDue(entry), entry.callback.isDue(snapshot, after: &entry.last) else { return }
            deliveries.append(
                entry.callback.delivery(of: snapshot, from: session, isFirst: isFirst))
        }
        if var entry = block {
            notify(&entry)
            block = entry
        }
        for index in listeners.indices { notify(&listeners[index]) }
        return deliveries
    }
}
