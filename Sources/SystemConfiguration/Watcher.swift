// SPDX-License-Identifier: MIT

@unsafe @preconcurrency internal import Dispatch
internal import Foundation
internal import Synchronization

/// The watcher of the kernel that all scheduled targets of a network namespace share.
///
/// It comes with the first and goes with the last. Locks are taken in the order target, registry,
/// watcher; nothing of the user's runs under any of them.
final class Watcher: Sendable {
    fileprivate struct State: ~Copyable {
        let monitor: Monitor
        var sessions: [UInt64: Session] = [:]
        var source: (any DispatchSourceRead)?
        /// Nobody is left, or the monitor failed.
        var isDead = false
    }

    /// A target under watch, until it is cancelled.
    struct Subscription: Sendable {
        fileprivate let watcher: Watcher
        fileprivate let id: UInt64

        func cancel() {
            watcher.remove(id)
        }
    }

    /// Where all watchers work and sessions are told of changes.
    static let queue = DispatchQueue(label: "SCNetworkReachability")

    /// What makes targets share a watcher.
    private struct Key: Hashable {
        let namespace = NamespaceIdentity.current
        let resolver: ObjectIdentifier?
    }

    private static let watchers = Mutex<[Key: Watcher]>([:])

    private let key: Key
    private let state: Mutex<State>

    private init(_ key: Key, _ resolver: Resolver?) throws(StatusError) {
        self.key = key
        let monitor = try Monitor(resolver)
        state = Mutex(State(monitor: monitor))
    }

    /// Watches `endpoint` in the calling thread's network namespace.
    ///
    /// The state is that of the moment; it is reported to `session` once more, and then each later
    /// one, on ``queue``.
    static func watch(
        _ endpoint: Endpoint, resolver: Resolver?, for session: Session
    ) throws(StatusError) -> (Subscription, PathState) {
        let key = Key(resolver: resolver.map(ObjectIdentifier.init))
        return try watchers.withLock { watchers throws(StatusError) in
            // What is in the registry is alive: a watcher leaves it under this lock, before it ends.
            if let watcher = watchers[key] { return try watcher.add(endpoint, session) }
            let watcher = try Watcher(key, resolver)
            let added = try watcher.add(endpoint, session)
            watcher.activate()
            watchers[key] = watcher
            return added
        }
    }

    private func add(
        _ endpoint: Endpoint, _ session: Session
    ) throws(StatusError) -> (Subscription, PathState) {
        let (id, path) = try state.withLock { state throws(StatusError) in
            let added = try state.monitor.add(endpoint)
            state.sessions[added.id] = session
            return added
        }
        // What was queued while the state was asked for does not make the descriptor readable.
        Self.queue.async { self.drain() }
        return (Subscription(watcher: self, id: id), path)
    }

    private func remove(_ id: UInt64) {
        // Whatever goes away with the session goes outside the locks.
        let removed = Self.watchers.withLock { watchers -> Session? in
            state.withLock { state -> Session? in
                guard let session = state.sessions.removeValue(forKey: id) else { return nil }
                state.monitor.remove(id)
                if state.sessions.isEmpty {
                    state.end()
                    watchers[key] = nil
                }
                return session
            }
        }
        withExtendedLifetime(removed) {}
    }

    private func activate() {
        state.withLock { state in
            let source = DispatchSource.makeReadSource(
                fileDescriptor: state.monitor.descriptor, queue: Self.queue)
            source.setEventHandler { [weak self] in self?.drain() }
            // The descriptor must stay open until the source is done with it.
            source.setCancelHandler { withExtendedLifetime(self) {} }
            source.activate()
            state.source = source
        }
    }

    private func drain() {
        do throws(StatusError) {
            let changes = try state.withLock { state throws(StatusError) in try state.drain() }
            for (session, path) in changes { session.receive(path) }
        } catch {
            for session in bury() { session.receive(.unknown(after: error)) }
        }
    }

    /// Ends a watcher whose monitor failed, and returns who has to be told.
    private func bury() -> [Session] {
        Self.watchers.withLock { watchers in
            // The last session may have gone meanwhile, and another watcher come.
            if watchers[key] === self { watchers[key] = nil }
            return state.withLock { state in
                defer { state.sessions = [:] }
                state.end()
                return Array(state.sessions.values)
            }
        }
    }
}

extension Watcher.State {
    fileprivate mutating func end() {
        isDead = true
        source?.cancel()
        source = nil
    }

    /// Lets the monitor work and takes all changes, so that they can be told outside the lock.
    fileprivate func drain() throws(StatusError) -> [(Session, PathState)] {
        var changes: [(Session, PathState)] = []
        guard !isDead else { return changes }
        try monitor.dispatch()
        while let change = try monitor.next() {
            if let session = sessions[change.id] { changes.append((session, change.state)) }
        }
        return changes
    }
}

/// What tells one network namespace from another: its inode.
private struct NamespaceIdentity: Hashable, Sendable {
    var device: UInt64 = 0
    var inode: UInt64 = 0

    /// That of the calling thread.
    ///
    /// Without /proc all are taken for one.
    static var current: NamespaceIdentity {
        var status = stat()
        guard unsafe stat("/proc/thread-self/ns/net", &status) == 0 else {
            return NamespaceIdentity()
        }
        return NamespaceIdentity(device: UInt64(status.st_dev), inode: UInt64(status.st_ino))
    }
}
