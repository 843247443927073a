// SPDX-License-Identifier: MIT

@unsafe @preconcurrency internal import Dispatch
internal import NetworkReachability
internal import SystemServices

/// Drives the probes of equal monitors, from their first subscriber to the last one.
///
/// Everything happens on its serial queue, in the order of events and with no lock held.
final class ConnectivityDriver: OfOneProcess {
    /// What equal monitors need for a probe.
    struct Plan: Sendable {
        let manager: NetworkReachabilityManager
        let probe: ConnectivityProbe
        let options: ConnectivityOptions
    }

    /// The values that a subscriber receives, on the queue.
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

    struct Registered: Sendable {
        weak var driver: ConnectivityDriver?
    }

    private struct Subscriber: Sendable {
        /// Its monitor, which ends its subscribers before it is released.
        let owner: ObjectIdentifier
        let interest: Interest
    }

    private typealias List = Subscribers<ConnectivityState, Subscriber>

    /// The sources of a session's events.
    private struct Sources: Sendable {
        let timer: BootTimer
        let watches: [Task<Void, Never>]
        let hints: ReachabilityListener?

        func end() {
            hints?.cancel()
            for task in watches { task.cancel() }
            timer.cancel()
        }
    }

    /// The time from a first subscriber to a last one.
    private struct Session: Sendable {
        /// Events of earlier sessions have another number.
        let number: Int
        var schedule: ProbeSchedule
        /// Nil until the queue has started it.
        var sources: Sources?
        /// The running probe, or the last one.
        var probe: Task<Void, Never>?
    }

    private struct State: Sendable {
        /// The latest state is that of the session; nil before its first.
        var subscribers = List()
        var session: Session?
        var sessions = 0
    }

    static let registry = Lock<[Key: Registered]>([:])
    private static let registryProcess = OwnerProcess()
    /// One thread for all drivers, since they never block.
    private static let thread = DispatchQueue(label: "reach-connectivity")

    let process = OwnerProcess()
    private let plan: Plan
    private let key: Key?
    private let queue = DispatchQueue(label: "reach-connectivity", target: thread)
    private let state = Lock(State())

    init(_ plan: Plan, key: Key? = nil) {
        self.plan = plan
        self.key = key
    }

    deinit {
        guard let key, isOfThisProcess else { return }
        // Another driver may have the key by now; it must not be released under the lock.
        let successor = Self.registry.withLock { registry in
            let successor = registry[key]?.driver
            if successor == nil { registry[key] = nil }
            return successor
        }
        withExtendedLifetime(successor) {}
    }

    /// The driver that equal monitors share, if their probes are comparable.
    static func shared(_ plan: Plan) -> ConnectivityDriver {
        // In a child of fork() the lock may be held forever.
        guard let probe = plan.probe.identity, registryProcess.isCurrent else {
            return ConnectivityDriver(plan)
        }
        let key = Key(target: plan.manager.target, probe: probe, options: plan.options)
        let new = ConnectivityDriver(plan, key: key)
        return registry.withLock { registry in
            if let driver = registry[key]?.driver { return driver }
            registry[key] = Registered(driver: new)
            return new
        }
    }

    // MARK: Subscribers

    /// The state of the session; unknown without one.
    var latest: ConnectivityState {
        guard isOfThisProcess else { return .unknown }
        return state.withLock { $0.subscribers.latest } ?? .unknown
    }

    /// Adds a subscriber until the returned closure is called.
    func subscribe(of owner: ObjectIdentifier, to interest: Interest) -> @Sendable () -> Void {
        guard isOfThisProcess else { return {} }
        let schedule = ProbeSchedule(plan.options, limit: plan.probe.limit)
        let (id, number, isFirst) = state.withLock { state in
            let id = state.subscribers.add(Subscriber(owner: owner, interest: interest))
            if let session = state.session { return (id, session.number, false) }
            state.sessions += 1
            state.session = Session(number: state.sessions, schedule: schedule)
            return (id, state.sessions, true)
        }
        queue.async { isFirst ? self.begin(number) : self.catchUp(number) }
        if case .answers = interest { send(.check, to: number) }
        return { self.remove { list in list.remove(id).map { [$0] } ?? [] } }
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
                return (removed, Session?.none)
            }
            state.subscribers.forget()
            return (removed, state.session.take())
        }
        withExtendedLifetime(removed) {}
        session?.probe?.cancel()
        // The queue may be using the timer.
        if let sources = session?.sources { queue.async { sources.end() } }
    }

    private func publish(_ new: ConnectivityState, isFinal: Bool, from number: Int) {
        let round = state.withLock { state in
            state.session?.number == number ? state.subscribers.publish(new) : nil
        }
        round?.forEach { subscriber, last in
            switch subscriber.interest {
            case .changes(let call) where last != new: call(new)
            case .answers(let call) where isFinal: call(new)
            case .changes, .answers, .probes: break
            }
        }
    }

    private func publish(_ report: ConnectivityProbeReport, from number: Int) {
        let subscribers = state.withLock { state in
            state.session?.number == number ? state.subscribers.all : []
        }
        for subscriber in subscribers {
            if case .probes(let call) = subscriber.interest { call(report) }
        }
    }

    /// Reports the current state to subscribers that were added after its publication.
    private func catchUp(_ number: Int) {
        let round = state.withLock { state in
            state.session?.number == number ? state.subscribers.catchUp() : nil
        }
        guard let round else { return }
        round.forEachChange { subscriber in
            if case .changes(let call) = subscriber.interest { call(round.value) }
        }
    }

    // MARK: The schedule

    /// Changes the session with this number; nil if it has ended.
    private func change<Result: Sendable>(
        _ number: Int, _ body: (inout Session) -> Result
    ) -> Result? {
        state.withLock { state in
            guard var session = state.session, session.number == number else { return nil }
            // One reference to its parts at a time.
            state.session = nil
            defer { state.session = session }
            return body(&session)
        }
    }

    private func begin(_ number: Int) {
        guard change(number, { _ in true }) == true else { return }
        let send: @Sendable (ProbeSchedule.Event) -> Void = { [weak self] event in
            self?.send(event, to: number)
        }
        let (manager, retry) = (plan.manager, plan.options.retryInterval)
        let new = Sources(
            timer: BootTimer(queue: queue) { [weak self] in self?.handle(.timer, in: number) },
            watches: [
                Task.detached { await watchPath(of: manager, retry, send) },
                Task.detached { await watchInterfaces(of: manager.target.namespace, retry, send) },
            ],
            hints: plan.probe.networkManager?.follow { _ in send(.hint) })
        if change(number, { $0.sources = new }) == nil { new.end() }
    }

    private func send(_ event: ProbeSchedule.Event, to number: Int) {
        queue.async { self.handle(event, in: number) }
    }

    private func handle(_ event: ProbeSchedule.Event, in number: Int) {
        let (now, random) = (BootTimer.now, Double.random(in: 0..<1))
        let step = change(number) { session in
            (
                session.schedule.handle(event, at: now, random: random),
                session.schedule.report.take()
            )
        }
        guard let (actions, report) = step else { return }
        if let report { publish(report, from: number) }
        for action in actions { perform(action, in: number) }
    }

    private func perform(_ action: ProbeSchedule.Action, in number: Int) {
        switch action {
        case .publish(let new, let isFinal): publish(new, isFinal: isFinal, from: number)
        case .setTimer(let due):
            change(number) { $0.sources?.timer }.flatMap(\.self)?.set(due)
        case .cancel: replaceProbe(by: nil, in: number)
        case .ask(let snapshot, let question):
            let (probe, target) = (plan.probe, plan.manager.target)
            let task = Task.detached { [weak self] in
                let answer = await probe.run(target, snapshot)
                self?.send(.answer(answer, question: question), to: number)
            }
            replaceProbe(by: task, in: number)
        }
    }

    /// Ends the running probe.
    private func replaceProbe(by new: Task<Void, Never>?, in number: Int) {
        var ended = new
        // Without the session, the new probe ends.
        _ = change(number) { swap(&$0.probe, &ended) }
        ended?.cancel()
    }
}
