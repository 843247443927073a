// SPDX-License-Identifier: MIT

internal import NetworkReachability

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

/// The subscribers of a monitor; the first one starts a session, the last one ends it.
final class ConnectivityHub: Sendable {
    /// Identifies a subscriber by its address.
    final class Identity: Sendable {}

    /// What a subscriber is called with.
    enum Interest: Sendable {
        /// The current state once it is known, and every change.
        case changes
        /// Every state that is the answer of now.
        case answers
    }

    private struct Subscriber: Sendable {
        let identity: Identity
        let interest: Interest
        let call: @Sendable (ConnectivityState) -> Void
        var hasCurrent = false
    }

    private struct State: Sendable {
        var subscribers: [ObjectIdentifier: Subscriber] = [:]
        var session: ConnectivitySession?
        /// Of the session; nil before its first state.
        var latest: ConnectivityState?
    }

    private let plan: ConnectivitySession.Plan
    private let process = getpid()
    private let state = Lock(State())

    init(_ plan: ConnectivitySession.Plan) {
        self.plan = plan
    }

    /// False in a child of fork() for what its parent has made: another thread of the parent may have held
    /// the lock at the time of the fork.
    var isOfThisProcess: Bool { process == getpid() }

    /// The state of the session; unknown without one.
    var latest: ConnectivityState {
        guard isOfThisProcess else { return .unknown }
        return state.withLock { $0.latest } ?? .unknown
    }

    /// Calls `call` on the queue of the session.
    func subscribe(
        _ identity: Identity, to interest: Interest,
        _ call: @escaping @Sendable (ConnectivityState) -> Void
    ) {
        guard isOfThisProcess else { return }
        let new = ConnectivitySession(plan) { [weak self] session, state, isSettled in
            self?.publish(state, isSettled: isSettled, from: session)
        }
        let subscriber = Subscriber(identity: identity, interest: interest, call: call)
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

    func unsubscribe(_ identity: Identity) {
        guard isOfThisProcess else { return }
        let (subscriber, session) = state.withLock { state in
            let removed = state.subscribers.removeValue(forKey: ObjectIdentifier(identity))
            guard removed != nil, state.subscribers.isEmpty else {
                return (removed, ConnectivitySession?.none)
            }
            state.latest = nil
            return (removed, state.session.take())
        }
        session?.end()
        withExtendedLifetime(subscriber) {}
    }

    /// Removes all subscribers.
    func end() {
        guard isOfThisProcess else { return }
        let (subscribers, session) = state.withLock { state in
            defer {
                state.subscribers = [:]
                state.latest = nil
            }
            return (state.subscribers, state.session.take())
        }
        session?.end()
        withExtendedLifetime(subscribers) {}
    }

    private func publish(
        _ new: ConnectivityState, isSettled: Bool, from session: ConnectivitySession
    ) {
        let due = state.withLock { state -> [Subscriber] in
            guard state.session === session else { return [] }
            let hasChanged = state.latest != new
            state.latest = new
            var due: [Subscriber] = []
            for (key, subscriber) in state.subscribers {
                let isDue =
                    switch subscriber.interest {
                    case .changes: hasChanged || !subscriber.hasCurrent
                    case .answers: isSettled
                    }
                guard isDue else { continue }
                due.append(subscriber)
                state.subscribers[key]?.hasCurrent = true
            }
            return due
        }
        for subscriber in due { subscriber.call(new) }
    }

    /// The first call of a subscriber that was added after the current state was published.
    private func catchUp(_ identity: Identity, with session: ConnectivitySession) {
        let key = ObjectIdentifier(identity)
        let due = state.withLock { state -> (Subscriber, ConnectivityState)? in
            guard state.session === session, let latest = state.latest,
                let subscriber = state.subscribers[key], case .changes = subscriber.interest,
                !subscriber.hasCurrent
            else { return nil }
            state.subscribers[key]?.hasCurrent = true
            return (subscriber, latest)
        }
        if let (subscriber, latest) = due { subscriber.call(latest) }
    }
}
