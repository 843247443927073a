// SPDX-License-Identifier: MIT

internal import NetworkReachability

/// The subscribers of equal monitors: the first one starts a session, the last one ends it.
final class ConnectivityHub: OfOneProcess {
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
        /// Its monitor, which ends its subscribers before it is released.
        let owner: ObjectIdentifier
        let interest: Interest
    }

    private typealias List = Subscribers<ConnectivityState, Subscriber>

    private struct State: Sendable {
        /// The latest state is that of the session; nil before the first.
        var subscribers = List()
        var session: ConnectivitySession?
    }

    private static let registry = Lock<[Key: Registered]>([:])
    private static let registryProcess = OwnerProcess()

    private let plan: ConnectivitySession.Plan
    private let key: Key?
    let process = OwnerProcess()
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
        guard let probe = plan.probe.identity, registryProcess.isCurrent else {
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

    /// The state of the session; unknown without one.
    var latest: ConnectivityState {
        guard isOfThisProcess else { return .unknown }
        return state.withLock { $0.subscribers.latest } ?? .unknown
    }

    /// Adds a subscriber until the returned closure is called.
    func subscribe(
        of owner: ObjectIdentifier, to interest: Interest
    ) -> @Sendable () -> Void {
        guard isOfThisProcess else { return {} }
        let new = ConnectivitySession(plan) { [weak self] session, news in
            switch news {
            case .state(let state, let isFinal):
                self?.publish(state, isFinal: isFinal, from: session)
            case .probe(let report): self?.publish(report, from: session)
            }
        }
        let subscriber = Subscriber(owner: owner, interest: interest)
        let (id, session) = state.withLock { state in
            let id = state.subscribers.add(subscriber)
            let session = state.session ?? new
            state.session = session
            return (id, session)
        }
        if session === new {
            session.start()
        } else {
            session.perform { [weak self] in self?.catchUp(with: session) }
        }
        if case .answers = interest { session.send(.check) }
        return {
            self.remove { subscribers in subscribers.remove(id).map { [$0] } ?? [] }
        }
    }

    /// Removes the subscribers of a monitor.
    func end(of owner: ObjectIdentifier) {
        remove { $0.removeAll { $0.owner == owner } }
    }

    private func remove(_ body: (inout List) -> [Subscriber]) {
        guard isOfThisProcess else { return }
        let (removed, session) = state.withLock { state in
            let removed = body(&state.subscribers)
            guard !removed.isEmpty, state.subscribers.isEmpty else {
                return (removed, ConnectivitySession?.none)
            }
            state.subscribers.forget()
            return (removed, state.session.take())
        }
        session?.end()
        withExtendedLifetime(removed) {}
    }

    private func publish(
        _ new: ConnectivityState, isFinal: Bool, from session: ConnectivitySession
    ) {
        let round = state.withLock { state in
            state.session === session ? state.subscribers.publish(new) : nil
        }
        round?.forEach { subscriber, last in
            switch subscriber.interest {
            case .changes(let call) where last != new: call(new)
            case .answers(let call) where isFinal: call(new)
            case .changes, .answers, .probes: break
            }
        }
    }

    private func publish(_ report: ConnectivityProbeReport, from session: ConnectivitySession) {
        let subscribers = state.withLock { state in
            state.session === session ? state.subscribers.all : []
        }
        for subscriber in subscribers {
            if case .probes(let call) = subscriber.interest { call(report) }
        }
    }

    /// Reports the current state to subscribers that were added after its publication.
    private func catchUp(with session: ConnectivitySession) {
        let round = state.withLock { state in
            state.session === session ? state.subscribers.catchUp() : nil
        }
        guard let round else { return }
        round.forEachChange { subscriber in
            if case .changes(let call) = subscriber.interest { call(round.value) }
        }
    }
}
