// SPDX-License-Identifier: MIT

/// All that changes in a manager, behind its lock.
///
/// Nothing is called and nothing is let go of in here: what is to be delivered, and what is taken out, is
/// returned.
struct ManagerState: Sendable {
    /// A callback, and the status it was told last in this session.
    struct Entry: Sendable {
        let callback: Callback
        var told: NetworkReachabilityStatus?
    }

    /// What the running session needs.
    struct Running: Sendable {
        let session: MonitoringSession
        /// Nil if values come from elsewhere than a monitor, as in tests.
        let subscription: MonitorHub.Subscription?
        /// Whether a value came: until then nothing is delivered.
        var hasValue = false
        /// The monitor is gone; the session waits for a stop or another start.
        var hasFailed = false
    }

    /// An iteration over a sequence.
    struct Stream: Sendable {
        let continuation: SnapshotSource.Stream.Continuation
        let identity: SnapshotSource.Identity
        /// Whether it was told the current value, or a later one.
        var wasTold = false
    }

    /// What is left after a stop, to be ended outside the lock.
    struct Remains: Sendable {
        var running: Running?
        var streams: [Stream] = []

        func end() {
            running?.session.end()
            running?.subscription?.cancel()
            for stream in streams { stream.continuation.finish() }
        }
    }

    private(set) var snapshot = ReachabilitySnapshot.unknown
    private(set) var versions = Versions()
    private(set) var running: Running?
    private(set) var observers: [any PropertyObserver] = []
    private var isStarted = false
    private var block: Entry?
    private var listeners: [Entry] = []
    private var streams: [ObjectIdentifier: Stream] = [:]

    var isMonitoring: Bool {
        running.map { !$0.hasFailed && $0.session.isOfThisProcess } ?? false
    }

    /// What is known and up to date.
    var latest: ReachabilitySnapshot? {
        isMonitoring && running?.hasValue == true ? snapshot : nil
    }

    // MARK: Start and stop

    /// Returns what a new session takes the place of.
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
            streams = [:]
            isStarted = false
        }
        return Remains(running: running, streams: Array(streams.values))
    }

    private mutating func begin(
        _ manager: NetworkReachabilityManager
    ) throws(ReachabilityError) -> Running? {
        guard !isMonitoring else { return nil }
        let session = MonitoringSession(receiver: manager)
        let subscription = try MonitorHub.subscribe(
            session, to: manager.target, options: manager.options)
        return run(session, subscription)
    }

    /// Takes values of `session` from now on, and returns what it takes the place of.
    mutating func run(
        _ session: MonitoringSession, _ subscription: MonitorHub.Subscription?
    ) -> Running? {
        let replaced = running
        replaced?.session.end()
        running = Running(session: session, subscription: subscription)
        block?.told = nil
        for index in listeners.indices { listeners[index].told = nil }
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
        _ stream: Stream, _ manager: NetworkReachabilityManager
    ) throws(ReachabilityError) -> Running? {
        let replaced = try begin(manager)
        streams[ObjectIdentifier(stream.identity)] = stream
        return replaced
    }

    /// Takes an iteration out, and stops if it was the last and nobody else has started.
    mutating func detach(_ identity: SnapshotSource.Identity) -> Remains {
        guard let stream = streams.removeValue(forKey: ObjectIdentifier(identity)) else {
            return Remains()
        }
        guard streams.isEmpty, !isStarted else { return Remains(streams: [stream]) }
        var remains = stop()
        remains.streams.append(stream)
        return remains
    }

    // MARK: Publishing

    /// The one assignment: every property and every callback sees the old state or the new one.
    ///
    /// Returns nil if `session` is not the running one, else the deliveries.
    mutating func publish(
        _ new: ReachabilitySnapshot, from session: MonitoringSession, failure: ReachabilityError?
    ) -> [Delivery]? {
        guard running?.session === session else { return nil }
        if new != snapshot { versions.snapshot += 1 }
        if new.status != snapshot.status { versions.status += 1 }
        snapshot = new
        running?.hasValue = true
        var deliveries = tellCallbacks { _ in true }
        for identity in streams.keys { streams[identity]?.wasTold = true }
        guard let failure else {
            deliveries += streams.values.map { stream in
                .here { stream.continuation.yield(.success(new)) }
            }
            return deliveries
        }
        deliveries += streams.values.map { stream in
            .here {
                stream.continuation.yield(.failure(failure))
                stream.continuation.finish()
            }
        }
        running?.hasFailed = true
        isStarted = false
        streams = [:]
        return deliveries
    }

    /// What callbacks that came after the value that all others know have to be told.
    mutating func catchUp() -> [Delivery] {
        latest == nil ? [] : tellCallbacks { $0.told == nil }
    }

    /// The same for an iteration.
    mutating func catchUp(_ identity: SnapshotSource.Identity) -> [Delivery] {
        let key = ObjectIdentifier(identity)
        guard let latest, let stream = streams[key], !stream.wasTold else { return [] }
        streams[key]?.wasTold = true
        return [.here { stream.continuation.yield(.success(latest)) }]
    }

    private mutating func tellCallbacks(where isMeant: (Entry) -> Bool) -> [Delivery] {
        guard let session = running?.session else { return [] }
        let snapshot = snapshot
        var deliveries: [Delivery] = []
        func tell(_ entry: inout Entry) {
            guard isMeant(entry), !entry.callback.byStatus || entry.told != snapshot.status else {
                return
            }
            entry.told = snapshot.status
            deliveries.append(entry.callback.delivery(of: snapshot, from: session))
        }
        if var entry = block {
            tell(&entry)
            block = entry
        }
        for index in listeners.indices { tell(&listeners[index]) }
        return deliveries
    }
}
