// SPDX-License-Identifier: MIT

@unsafe @preconcurrency internal import Dispatch
internal import Synchronization

/// The monitor that all managers of a namespace share.
///
/// It comes with the first subscription and goes with the last. Locks are taken in the order manager,
/// registry, hub; nothing of the user's runs under any of them.
final class MonitorHub: Sendable {
    /// What makes managers share a hub.
    private struct Key: Hashable {
        let namespace: NamespaceIdentity
        let options: ObjectIdentifier
    }

    fileprivate struct State: ~Copyable {
        let handle: MonitorHandle
        var sessions: [UInt64: Session] = [:]
        var source: (any DispatchSourceRead)?
        /// Nobody is left, or the monitor failed.
        var isDead = false
    }

    /// A target of a hub, until it is cancelled.
    struct Subscription: Sendable {
        fileprivate let hub: MonitorHub
        fileprivate let id: UInt64

        func cancel() {
            hub.remove(id)
        }
    }

    /// Where all hubs work, one change after the other, so that no manager ever sees two at a time.
    static let queue = DispatchQueue(label: "NetworkReachability.monitor")

    private static let hubs = Mutex<[Key: MonitorHub]>([:])

    private let key: Key
    private let options: MonitorOptions
    private let state: Mutex<State>

    private init(key: Key, options: MonitorOptions, handle: consuming sending MonitorHandle) {
        self.key = key
        self.options = options
        state = Mutex(State(handle: handle))
    }

    /// Adds a target to the hub of its namespace; values go to `session`, on ``queue``.
    static func subscribe(
        _ session: Session, to target: ReachabilityTarget, options: MonitorOptions
    ) throws(ReachabilityError) -> Subscription {
        let namespace = try OpenNamespace(target.namespace)
        let key = Key(namespace: namespace.identity, options: ObjectIdentifier(options))
        return try hubs.withLock { hubs throws(ReachabilityError) in
            // What is in the registry is alive: a hub leaves it under this lock, before it ends.
            if let hub = hubs[key] { return try hub.add(target, session) }
            let handle = try MonitorHandle(namespace, of: target.namespace, options: options)
            let hub = MonitorHub(key: key, options: options, handle: handle)
            let subscription = try hub.add(target, session)
            hub.activate()
            hubs[key] = hub
            return subscription
        }
    }

    private func add(
        _ target: ReachabilityTarget, _ session: Session
    ) throws(ReachabilityError) -> Subscription {
        try state.withLock { state throws(ReachabilityError) in
            let id = try state.handle.add(target)
            state.sessions[id] = session
            return Subscription(hub: self, id: id)
        }
    }

    private func remove(_ id: UInt64) {
        Self.hubs.withLock { hubs in
            let isUnused = state.withLock { state in
                guard state.sessions.removeValue(forKey: id) != nil else { return false }
                state.handle.remove(id)
                guard state.sessions.isEmpty else { return false }
                state.end()
                return true
            }
            if isUnused { hubs[key] = nil }
        }
    }

    private func activate() {
        state.withLock { state in
            let source = DispatchSource.makeReadSource(
                fileDescriptor: state.handle.descriptor, queue: Self.queue)
            source.setEventHandler { [weak self] in self?.drain() }
            // The descriptor must stay open until the source is done with it.
            source.setCancelHandler { withExtendedLifetime(self) {} }
            source.activate()
            state.source = source
        }
    }

    private func drain() {
        let (values, failure) = state.withLock { $0.drain() }
        for (session, snapshot) in values { session.receive(snapshot) }
        guard let failure else { return }
        for session in bury() { session.fail(failure) }
    }

    /// Ends a hub whose monitor failed, and returns who has to be told.
    private func bury() -> [Session] {
        Self.hubs.withLock { hubs in
            // The last session may have gone meanwhile, and another hub come.
            if hubs[key] === self { hubs[key] = nil }
            return state.withLock { state in
                defer { state.sessions = [:] }
                state.end()
                return Array(state.sessions.values)
            }
        }
    }
}

extension MonitorHub.State {
    /// Ends the source, whose cancel handler lets go of the hub and with it of the monitor.
    fileprivate mutating func end() {
        isDead = true
        source?.cancel()
        source = nil
    }

    /// Lets the monitor work and takes all changes, so that they can be delivered outside the lock.
    fileprivate mutating func drain() -> (
        values: [(Session, ReachabilitySnapshot)], failure: Errno?
    ) {
        var values: [(Session, ReachabilitySnapshot)] = []
        guard !isDead else { return (values, nil) }
        do throws(Errno) {
            _ = try handle.dispatch()
            while let change = try handle.next() {
                if let session = sessions[change.id] { values.append((session, change.snapshot)) }
            }
        } catch {
            return (values, error)
        }
        return (values, nil)
    }
}
