// SPDX-License-Identifier: MIT

#if canImport(CReach)
/// The monitor that all sessions in a network namespace share, whichever module started them.
///
/// The first subscription opens it, and it closes `MonitorOptions.linger` nanoseconds after the last one is
/// cancelled. Locks are taken in the order receiver, registry (`MonitorLoop.registry`), hub, loop. Under these
/// locks, no code of the application runs, and no object is released.
package final class MonitorHub: Sendable {
    /// Sessions with equal keys share a hub.
    struct Key: Hashable {
        let namespace: NamespaceIdentity
        /// A namespace may be replaced at one of its paths, and stay at another.
        let path: String?
        /// The session of a hub that reports first states only: later ones need new tables.
        let once: ObjectIdentifier?
        let options: ObjectIdentifier

        init(
            _ open: borrowing OpenNamespace, _ options: MonitorOptions,
            once: MonitoringSession? = nil
        ) {
            namespace = open.identity
            path = open.path
            self.once = once.map(ObjectIdentifier.init)
            self.options = ObjectIdentifier(options)
        }
    }

    struct State: ~Copyable {
        var handle: MonitorHandle
        var sessions: [UInt64: MonitoringSession] = [:]
        var names = NamesInUse()
        var host = HostSubscribers()
        /// Whether it takes no more sessions: its linger time is over, or the monitor failed.
        var isDead = false
    }

    /// A target that is watched until ``cancel()``.
    package struct Subscription: MonitorSubscription {
        let hub: MonitorHub
        let id: UInt64

        package func cancel() {
            hub.remove(id)
        }

        /// Queries the current state; nil if the target is no longer watched, or while a storm of events
        /// is being read, since waiting would hold the lock of the hub.
        ///
        /// If it differs from the last reported state, the receiver gets it later, too.
        package func read() throws(ReachabilityError) -> ReachabilitySnapshot? {
            try hub.read(id)
        }
    }

    let descriptor: CInt
    private let key: Key
    let options: MonitorOptions
    let loop: MonitorLoop
    let state: Lock<State>

    private init(
        key: Key, options: MonitorOptions, loop: MonitorLoop,
        handle: consuming sending MonitorHandle
    ) {
        self.key = key
        self.options = options
        self.loop = loop
        descriptor = handle.descriptor
        state = Lock(State(handle: handle))
    }

    /// Adds a target to the hub of its namespace; its states are reported to `session`.
    package static func subscribe(
        _ session: MonitoringSession, to target: ReachabilityTarget, options: MonitorOptions,
        once: Bool = false
    ) throws(ReachabilityError) -> Subscription {
        var id: UInt64 = 0
        let hub = try withHub(in: target.namespace, options, once: once ? session : nil) {
            hub throws(ReachabilityError) in
            id = try hub.state.withLock { state throws(ReachabilityError) in
                let id = try state.handle.add(target, reporting: .path)
                state.sessions[id] = session
                if hub.lingers, case .domain = target.kind { state.names.insert(id) }
                return id
            }
        }
        return Subscription(hub: hub, id: id)
    }

    /// Adds a target like ``subscribe(_:to:options:)`` and returns its current state; only changes of the
    /// verdict are reported.
    ///
    /// `session` receives the same state once more, or a newer one, but never an older one.
    package static func watch(
        _ target: ReachabilityTarget, for session: MonitoringSession, options: MonitorOptions
    ) throws(ReachabilityError) -> (Subscription, ReachabilitySnapshot) {
        if let error = options.fault?() { throw .system(error, doing: "monitoring") }
        var added: (id: UInt64, snapshot: ReachabilitySnapshot?) = (0, nil)
        let hub = try withHub(in: target.namespace, options) { hub throws(ReachabilityError) in
            added = try hub.state.withLock { state throws(ReachabilityError) in
                let added = try state.handle.addAndRead(target, reporting: .verdict)
                state.sessions[added.id] = session
                return added
            }
        }
        hub.drainLater()
        let subscription = Subscription(hub: hub, id: added.id)
        if let snapshot = added.snapshot { return (subscription, snapshot) }
        // A storm of events is still being read. A separate query doesn't wait for its end.
        do throws(ReachabilityError) {
            return (subscription, try MonitorHandle.check(target, options: options))
        } catch {
            subscription.cancel()
            throw error
        }
    }

    /// Calls `body` with the hub of a namespace, and returns the hub; a new one is kept only if `body` succeeds.
    ///
    /// Not generic, and one copy: four specialized ones had 28 KB of text.
    @inline(never)
    static func withHub(
        in namespace: NetworkNamespace, _ options: MonitorOptions,
        once: MonitoringSession? = nil,
        _ body: (MonitorHub) throws(ReachabilityError) -> Void
    ) throws(ReachabilityError) -> MonitorHub {
        let loop: MonitorLoop
        do throws(ReachabilityErrno) { loop = try .current() } catch {
            throw .system(error, doing: "monitoring")
        }
        while true {
            do throws(ReachabilityError) {
                return try withHub(in: loop, namespace, options, once, body)
            } catch {
                // Closing unused hubs releases descriptors.
                guard error.code == .outOfResources, loop.endUnused() else { throw error }
            }
        }
    }

    private static func withHub(
        in loop: MonitorLoop, _ namespace: NetworkNamespace, _ options: MonitorOptions,
        _ once: MonitoringSession?, _ body: (MonitorHub) throws(ReachabilityError) -> Void
    ) throws(ReachabilityError) -> MonitorHub {
        let open = try OpenNamespace(namespace)
        let key = Key(open, options, once: once)
        // A new hub that is not kept is closed after the lock is released.
        var new: MonitorHub?
        defer { withExtendedLifetime(new) {} }
        return try loop.registry.withLock { hubs throws(ReachabilityError) in
            // A hub in the registry is not dead: it is removed under this lock before it ends.
            if let hub = hubs[key] {
                try body(hub)
                return hub
            }
            let handle = try MonitorHandle(
                open, of: namespace, options: options, once: once != nil)
            handle.setFacts(InterfaceFeeds.facts(in: open.identity))
            let hub = MonitorHub(key: key, options: options, loop: loop, handle: handle)
            new = hub
            try body(hub)
            try hub.activate()
            hubs[key] = hub
            return hub
        }
    }

    private func remove(_ id: UInt64) {
        // A child of fork() must not touch the sockets that it shares with its parent.
        guard loop.isOfThisProcess else { return }
        // Released after the lock.
        var session: (MonitoringSession)?
        defer { withExtendedLifetime(session) {} }
        let isDue = state.withLock { state in
            session = state.sessions.removeValue(forKey: id)
            guard session != nil else { return false }
            for id in state.names.retire(id) { state.handle.remove(id) }
            return state.isUnused || state.names.hasFormer
        }
        if isDue { loop.endSoon(self, after: lingers ? options.linger : 0) }
    }

    private var lingers: Bool { key.once == nil && options.linger > 0 }

    /// Removes names that no session uses any more, and closes the hub unless it has a session again.
    func endIfUnused() {
        loop.registry.withLock { hubs in
            let ends = state.withLock { state in
                guard !state.isDead else { return false }
                for name in state.names.forget() { state.handle.remove(name) }
                guard state.isUnused else { return false }
                state.isDead = true
                return true
            }
            guard ends else { return }
            hubs[key] = nil
            loop.remove(self)
        }
    }

    func read(_ id: UInt64) throws(ReachabilityError) -> ReachabilitySnapshot? {
        guard loop.isOfThisProcess else { return nil }
        do throws(ReachabilityErrno) {
            let read = try state.withLock { state throws(ReachabilityErrno) in
                guard !state.isDead, state.sessions[id] != nil else {
                    return nil as (snapshot: ReachabilitySnapshot?, hasChanges: Bool)?
                }
                var read = try state.handle.read(id)
                read.hasChanges = read.hasChanges || !state.host.isEmpty
                return read
            }
            if read?.hasChanges == true { drainLater() }
            return read?.snapshot
        } catch {
            // The loop gets the same error in drain() and ends the hub.
            drainLater()
            throw .system(error, doing: "monitoring")
        }
    }

    private func activate() throws(ReachabilityError) {
        do throws(ReachabilityErrno) {
            try loop.add(self)
        } catch {
            throw .system(error, doing: "monitoring")
        }
    }

    // MARK: In the loop

    /// Reads the events queued in the kernel, and delivers all changes.
    func drain() {
        do throws(ReachabilityErrno) {
            if let error = options.fault?() { throw error }
            let hasStreams = try state.withLock { state throws(ReachabilityErrno) in
                if !state.isDead { _ = try state.handle.dispatch() }
                return !state.host.isEmpty
            }
            while let (session, snapshot) = try state.withLock({ state throws(ReachabilityErrno) in
                try state.next()
            }) {
                loop.deliver(session.receive(snapshot))
            }
            guard hasStreams else { return }
            // The file is read without the lock: a file system may be slow.
            let reading = state.withLock { $0.host.reading(for: $0.handle) }
            let resolver = reading.map { (options.resolverConfiguration, at: $0) }
            loop.deliver(
                try state.withLock { state throws(ReachabilityErrno) in
                    try state.host.update(from: state.handle, resolver)
                })
        } catch .outOfMemory {
            // The descriptor stays readable, so the next round tries again.
        } catch {
            let (sessions, streams) = end()
            for session in sessions { loop.deliver(session.fail(error)) }
            loop.deliver(streams.fail(error))
        }
    }

    /// Delivers changes that the monitor has queued already, which don't make its descriptor readable.
    func drainLater() {
        MonitorLoop.perform {
            self.drain()
            return []
        }
    }

    /// Ends a hub whose monitor failed, and returns its sessions and iterations.
    private func end() -> ([MonitoringSession], HostSubscribers) {
        loop.remove(self)
        return loop.registry.withLock { hubs in
            // Another hub may be registered: the last session was cancelled meanwhile.
            if hubs[key] === self { hubs[key] = nil }
            return state.withLock { state in
                defer { (state.sessions, state.host) = ([:], HostSubscribers()) }
                state.isDead = true
                return (Array(state.sessions.values), state.host)
            }
        }
    }
}

extension MonitorHub.State {
    /// The next change of a target that is still subscribed.
    fileprivate func next() throws(ReachabilityErrno) -> (
        MonitoringSession, ReachabilitySnapshot
    )? {
        guard !isDead else { return nil }
        while let change = try handle.next() {
            if let session = sessions[change.id] { return (session, change.snapshot) }
        }
        return nil
    }
}
#endif
