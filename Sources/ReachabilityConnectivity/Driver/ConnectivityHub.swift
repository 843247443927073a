// SPDX-License-Identifier: MIT

internal import NetworkReachability
internal import ReachLibc

/// The subscribers of equal monitors: the first one starts a session, the last one ends it.
final class ConnectivityHub: Sendable {
    /// The values that a subscriber receives, on the session's queue.
    enum Interest: Sendable {
        /// The current state once it is known, and every change.
        case changes(@Sendable (ConnectivityState) -> Void)
        /// Every state computed from a probe of the current path.
        case answers(@Sendable (ConnectivityState) -> Void)
        /// Every probe.
        case probes(@Sendable (ConnectivityProbeReport) -> Void)
    }

    /// The properties that equal monitors share.
    struct Key: Hashable, Sendable {
        let target: ReachabilityTarget
        let probe: ConnectivityProbe.Identity
        let options: ConnectivityOptions
    }

    private struct Registered: Sendable {
        weak var hub: ConnectivityHub?
    }

    private struct Subscriber: Sendable {
        let identity: SubscriberIdentity
        /// The identity of its monitor.
        let owner: SubscriberIdentity
        let interest: Interest
        var hasCurrent = false
    }

    private struct State: Sendable {
        var subscribers: [ObjectIdentifier: Subscriber] = [:]
        var session: ConnectivitySession?
        /// The latest state of the session; nil before the first.
        var latest: ConnectivityState?
    }

    private static let registry = Lock<[Key: Registered]>([:])
    private static let registryProcess = getpid()

    private let plan: ConnectivitySession.Plan
    private let key: Key?
    private let process = getpid()
    private let state = Lock(State())

    init(_ plan: ConnectivitySession.Plan, key: Key? = nil) {
        self.plan = plan
        self.key = key
    }

    deinit {
        guard let key, isOfThisProcess else { return }
        // Another hub may have the key by now; it must not be released under the lock.
        let successor = Self.registry.withLock { registry in
            let successor = registry[key]?.hub
            if successor == nil { registry[key] = nil }
            return successor
        }
        withExtendedLifetime(successor) {}
    }

    /// The hub that equal monitors share, if their probes are comparable.
    static func shared(_ plan: ConnectivitySession.Plan) -> ConnectivityHub {
        // In a child of fork() the lock may be held forever.
        guard let probe = plan.probe.identity, registryProcess == getpid() else {
            return ConnectivityHub(plan)
        }
        let key = Key(target: plan.manager.target, probe: probe, options: plan.options)
        let new = ConnectivityHub(plan, key: key)
        return registry.withLock { registry in
            if let hub = registry[key]?.hub { return hub }
            registry[key] = Registered(hub: new)
            return new
        }
    }

    /// False in a child of fork() for the parent's objects: another thread may have held the lock
    /// at that moment.
    var isOfThisProcess: Bool { process == getpid() }

    /// The state of the session; unknown without one.
    var latest: ConnectivityState {
        guard isOfThisProcess else { return .unknown }
        return state.withLock { $0.latest } ?? .unknown
    }

    func subscribe(
        _ identity: SubscriberIdentity, of owner: SubscriberIdentity, to interest: Interest
    ) {
        guard isOfThisProcess else { return }
        let new = ConnectivitySession(plan) { [weak self] session, news in
            switch news {
            case .state(let state, let isFinal):
                self?.publish(state, isFinal: isFinal, from: session)
            case .probe(let report): self?.publish(report, from: session)
            }
        }
        let subscriber = Subscriber(identity: identity, owner: owner, interest: interest)
        let session = state.withLock { state in
            state.subscribers[ObjectIdentifier(identity)] = subscriber
            let session = state.session ?? new
            state.session = session
            return session
        }
        if session === new {
            session.start()
        } else {
            session.perform { [weak self] in self?.catchUp(identity, with: session) }
        }
        if case .answers = interest { session.send(.check) }
    }

    func unsubscribe(_ identity: SubscriberIdentity) {
        remove { _ in [ObjectIdentifier(identity)] }
    }

    /// Removes the subscribers of a monitor.
    func end(of owner: SubscriberIdentity) {
        remove { $0.filter { $0.value.owner === owner }.map(\.key) }
    }

    private func remove(_ keys: ([ObjectIdentifier: Subscriber]) -> [ObjectIdentifier]) {
        guard isOfThisProcess else { return }
        let (removed, session) = state.withLock { state in
            let removed = keys(state.subscribers)
                .compactMap { state.subscribers.removeValue(forKey: $0) }
            guard !removed.isEmpty, state.subscribers.isEmpty else {
                return (removed, ConnectivitySession?.none)
            }
            state.latest = nil
            return (removed, state.session.take())
        }
        session?.end()
        withExtendedLifetime(removed) {}
    }

    private func publish(
        _ new: ConnectivityState, isFinal: Bool, from session: ConnectivitySession
    ) {
        let due = state.withLock { state -> [@Sendable (ConnectivityState) -> Void] in
            guard state.session === session else { return [] }
            let hasChanged = state.latest != new
            state.latest = new
            var due: [@Sendable (ConnectivityState) -> Void] = []
            for (key, subscriber) in state.subscribers {
                switch subscriber.interest {
                case .changes(let call) where hasChanged || !subscriber.hasCurrent:
                    due.append(call)
                    state.subscribers[key]?.hasCurrent = true
                case .answers(let call) where isFinal: due.append(call)
                case .changes, .answers, .probes: break
                }
            }
            return due
        }
        for call in due { call(new) }
    }

    private func publish(_ report: ConnectivityProbeReport, from session: ConnectivitySession) {
        let subscribers = state.withLock { state in
            state.session === session ? Array(state.subscribers.values) : []
        }
        for subscriber in subscribers {
            if case .probes(let call) = subscriber.interest { call(report) }
        }
    }

    /// Reports the current state to a subscriber that was added after its publication.
    private func catchUp(_ identity: SubscriberIdentity, with session: ConnectivitySession) {
        let key = ObjectIdentifier(identity)
        typealias Call = @Sendable (ConnectivityState) -> Void
        let due = state.withLock { state -> (Call, ConnectivityState)? in
            guard state.session === session, let latest = state.latest,
                let subscriber = state.subscribers[key],
                case .changes(let call) = subscriber.interest, !subscriber.hasCurrent
            else { return nil }
            state.subscribers[key]?.hasCurrent = true
            return (call, latest)
        }
        if let (call, latest) = due { call(latest) }
    }
}
