// SPDX-License-Identifier: MIT

/// All that changes in a manager, behind its lock.
///
/// Closures of the user are neither called nor released in here: what is taken out is returned, to go
/// away outside the lock.
struct ManagerState: Sendable {
    /// A callback, and the status it was told last in this session.
    struct Entry: Sendable {
        let callback: Callback
        var told: NetworkReachabilityStatus?
    }

    /// What the running session needs.
    struct Running: Sendable {
        let session: Session
        /// Nil if values come from elsewhere than a monitor, as in tests.
        let subscription: MonitorHub.Subscription?
        /// Whether a value came: until then nothing is delivered.
        var hasValue = false
        /// The monitor is gone; the session waits for a stop or another start.
        var hasFailed = false
    }

    /// What is left after a stop, to be ended outside the lock.
    struct Remains: Sendable {
        var running: Running?
        var streams: [SnapshotSource.Stream.Continuation] = []

        func end() {
            running?.session.end()
            running?.subscription?.cancel()
            for stream in streams { stream.finish() }
        }
    }

    private(set) var snapshot = ReachabilitySnapshot.unknown
    private(set) var versions = Versions()
    private(set) var running: Running?
    private(set) var observers: [any PropertyObserver] = []
    private var isStarted = false
    private var block: Entry?
    private var listeners: [Entry] = []
    private var streams: [ObjectIdentifier: SnapshotSource.Stream.Continuation] = [:]

    var isMonitoring: Bool {
        running.map { !$0.hasFailed } ?? false
    }

    /// What is known and up to date.
    var latest: ReachabilitySnapshot? {
        isMonitoring && running?.hasValue == true ? snapshot : nil
    }

    // MARK: Start and stop

    mutating func start(_ manager: NetworkReachabilityManager) throws(ReachabilityError) {
        try begin(manager)
        isStarted = true
    }

    mutating func stop() -> Remains {
        defer {
            running = nil
            streams = [:]
            isStarted = false
        }
        return Remains(running: running, streams: Array(streams.values))
    }

    private mutating func begin(_ manager: NetworkReachabilityManager) throws(ReachabilityError) {
        guard !isMonitoring else { return }
        let session = Session(manager: manager)
        let subscription = try MonitorHub.subscribe(
            session, to: manager.target, options: manager.options)
        run(session, subscription)
    }

    /// Takes values of `session` from now on.
    mutating func run(_ session: Session, _ subscription: MonitorHub.Subscription?) {
        running?.session.end()
        running = Running(session: session, subscription: subscription)
        block?.told = nil
        for index in listeners.indices { listeners[index].told = nil }
    }

    // MARK: Callbacks

    mutating func setBlock(_ callback: Callback?) -> Callback? {
        let replaced = block?.callback
        block = callback.map { Entry(callback: $0) }
        catchUp(&block)
        return replaced
    }

    mutating func add(_ callback: Callback) {
        var entry: Entry? = Entry(callback: callback)
        catchUp(&entry)
        if let entry { listeners.append(entry) }
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
        _ stream: SnapshotSource.Stream.Continuation, as identity: ObjectIdentifier,
        _ manager: NetworkReachabilityManager
    ) throws(ReachabilityError) {
        try begin(manager)
        streams[identity] = stream
        if let latest { stream.yield(.success(latest)) }
    }

    mutating func detach(_ identity: ObjectIdentifier) -> Remains {
        guard streams.removeValue(forKey: identity) != nil, streams.isEmpty, !isStarted else {
            return Remains()
        }
        return stop()
    }

    // MARK: Publishing

    /// The one assignment: every property and every callback sees the old state or the new one.
    ///
    /// Returns nil if `session` is not the running one, else what is left to do outside the lock.
    mutating func publish(
        _ new: ReachabilitySnapshot, from session: Session, failure: ReachabilityError?,
        by courier: inout Courier
    ) -> Remains? {
        guard running?.session === session else { return nil }
        if new != snapshot { versions.snapshot += 1 }
        if new.status != snapshot.status { versions.status += 1 }
        snapshot = new
        running?.hasValue = true
        Self.tell(new, of: session, &block, by: &courier)
        for index in listeners.indices {
            Self.tell(new, of: session, &listeners[index], by: &courier)
        }
        for stream in streams.values { stream.yield(failure.map { .failure($0) } ?? .success(new)) }
        guard failure != nil else { return Remains() }
        running?.hasFailed = true
        isStarted = false
        defer { streams = [:] }
        return Remains(streams: Array(streams.values))
    }

    /// Tells a new callback what the others know already.
    private func catchUp(_ entry: inout Entry?) {
        guard let running, let latest else { return }
        var courier = Courier()
        Self.tell(latest, of: running.session, &entry, by: &courier)
    }

    private static func tell(
        _ snapshot: ReachabilitySnapshot, of session: Session, _ entry: inout Entry?,
        by courier: inout Courier
    ) {
        guard var known = entry else { return }
        tell(snapshot, of: session, &known, by: &courier)
        entry = known
    }

    private static func tell(
        _ snapshot: ReachabilitySnapshot, of session: Session, _ entry: inout Entry,
        by courier: inout Courier
    ) {
        if entry.callback.byStatus && entry.told == snapshot.status { return }
        entry.told = snapshot.status
        courier.take(
            Callback.Letter(snapshot: snapshot, session: session), to: entry.callback)
    }
}
