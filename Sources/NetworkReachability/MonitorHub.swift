// SPDX-License-Identifier: MIT

@unsafe @preconcurrency package import Dispatch
internal import Synchronization

/// Takes what a hub finds out about one target, on ``MonitorHub/queue``.
///
/// It is let go of under the hub's locks: it must own nothing of the user's.
package protocol MonitorReceiver: AnyObject, Sendable {
    /// Takes a value.
    func receive(_ snapshot: ReachabilitySnapshot, by courier: inout Courier)

    /// Takes the end: the monitor failed.
    func fail(_ errno: Errno, by courier: inout Courier)
}

/// The monitor that all receivers in a namespace share, whatever API they serve.
///
/// It comes with the first subscription and goes with the last. Locks are taken in the order receiver,
/// registry, hub; nothing of the user's runs under any of them.
package final class MonitorHub: Sendable {
    /// What makes receivers share a hub.
    private struct Key: Hashable {
        let namespace: NamespaceIdentity
        let options: ObjectIdentifier
    }

    fileprivate struct State: ~Copyable {
        let handle: MonitorHandle
        var sessions: [UInt64: any MonitorReceiver] = [:]
        var threads: MonitorThreads?
        /// Nobody is left, or the monitor failed.
        var isDead = false
    }

    /// A target of a hub, until it is cancelled.
    package struct Subscription: Sendable {
        fileprivate let hub: MonitorHub
        fileprivate let id: UInt64

        package func cancel() {
            hub.remove(id)
        }
    }

    /// Where all hubs work, one change after the other, so that no receiver ever sees two at a time.
    package static let queue = DispatchQueue(label: "NetworkReachability.monitor")

    private static let hubs = Mutex<[Key: MonitorHub]>([:])

    private let key: Key
    private let options: MonitorOptions
    private let kept = KeptCall()
    private let state: Mutex<State>

    private init(key: Key, options: MonitorOptions, handle: consuming sending MonitorHandle) {
        self.key = key
        self.options = options
        state = Mutex(State(handle: handle))
    }

    /// Adds a target to the hub of its namespace; values go to `session`, on ``queue``.
    package static func subscribe(
        _ session: any MonitorReceiver, to target: ReachabilityTarget, options: MonitorOptions
    ) throws(ReachabilityError) -> Subscription {
        try withHub(of: target, options) { hub throws(ReachabilityError) in
            try hub.add(target, session)
        }
    }

    /// Adds a target like ``subscribe(_:to:options:)``, and asks the kernel for its state.
    ///
    /// It is the state of the moment; `session` is told it once more, and never an older one.
    package static func watch(
        _ target: ReachabilityTarget, for session: any MonitorReceiver, options: MonitorOptions
    ) throws(ReachabilityError) -> (Subscription, ReachabilitySnapshot) {
        try withHub(of: target, options) { hub throws(ReachabilityError) in
            let (id, snapshot) = try hub.state.withLock { state throws(ReachabilityError) in
                let (id, snapshot) = try state.handle.addAsking(target)
                state.sessions[id] = session
                return (id, snapshot)
            }
            // Changes that were queued meanwhile do not make the descriptor readable.
            queue.async {
                var courier = Courier(hub.kept, isCaller: false)
                hub.drain(by: &courier)
            }
            return (Subscription(hub: hub, id: id), snapshot)
        }
    }

    /// The result of `body` for the hub that targets like `target` have, which begins if `body` gives it
    /// its first.
    private static func withHub<Result>(
        of target: ReachabilityTarget, _ options: MonitorOptions,
        _ body: (MonitorHub) throws(ReachabilityError) -> Result
    ) throws(ReachabilityError) -> Result {
        let namespace = try OpenNamespace(target.namespace)
        let key = Key(namespace: namespace.identity, options: ObjectIdentifier(options))
        return try hubs.withLock { hubs throws(ReachabilityError) in
            // What is in the registry is alive: a hub leaves it under this lock, before it ends.
            if let hub = hubs[key] { return try body(hub) }
            let handle = try MonitorHandle(namespace, of: target.namespace, options: options)
            let hub = MonitorHub(key: key, options: options, handle: handle)
            let result = try body(hub)
            try hub.activate()
            hubs[key] = hub
            return result
        }
    }

    private func add(
        _ target: ReachabilityTarget, _ session: any MonitorReceiver
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

    private func activate() throws(ReachabilityError) {
        do throws(Errno) {
            try state.withLock { state throws(Errno) in
                state.threads = try MonitorThreads(
                    waitingFor: state.handle.descriptor, keeping: kept
                ) { [weak self] courier in
                    Self.queue.sync { self?.drain(by: &courier) }
                }
            }
        } catch {
            throw .system(error, doing: "monitoring")
        }
    }

    /// Lets the monitor work, and delivers all changes, outside the lock.
    private func drain(by courier: inout Courier) {
        do throws(Errno) {
            try state.withLock { state throws(Errno) in try state.dispatch() }
            while let (session, snapshot) = try state.withLock({ state throws(Errno) in
                try state.next()
            }) {
                session.receive(snapshot, by: &courier)
            }
        } catch .outOfMemory {
            // The descriptor stays readable, so it is tried again at the next wake-up.
        } catch {
            for session in bury() { session.fail(error, by: &courier) }
        }
    }

    /// Ends a hub whose monitor failed, and returns who has to be told.
    private func bury() -> [any MonitorReceiver] {
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
    fileprivate mutating func end() {
        isDead = true
        threads = nil
    }

    fileprivate func dispatch() throws(Errno) {
        guard !isDead else { return }
        _ = try handle.dispatch()
    }

    /// The next change of somebody who is still there.
    fileprivate func next() throws(Errno) -> (any MonitorReceiver, ReachabilitySnapshot)? {
        guard !isDead else { return nil }
        while let change = try handle.next() {
            if let session = sessions[change.id] { return (session, change.snapshot) }
        }
        return nil
    }
}
