// SPDX-License-Identifier: MIT

internal import CConnectivity
internal import Cepoll
@unsafe @preconcurrency internal import Dispatch
internal import NetworkReachability
internal import ReachLibc
internal import SystemServices

/// Drives a schedule while there are listeners.
///
/// Everything happens on its serial queue, in the order of events and with no lock held.
final class ConnectivitySession: Sendable {
    /// The inputs of a session, which all sessions of a hub share.
    struct Plan: Sendable {
        let manager: NetworkReachabilityManager
        let probe: ConnectivityProbe
        let options: ConnectivityOptions
    }

    private struct State: Sendable {
        var schedule: ProbeSchedule
        var timer: SessionTimer?
        var watches: [Task<Void, Never>] = []
        var hints: ReachabilityListener?
        /// The running probe, or the last one.
        var question: Task<Void, Never>?
        var isEnded = false
    }

    private let plan: Plan
    /// The values to publish.
    enum News: Sendable {
        /// A state, and whether it ends a check.
        case state(ConnectivityState, isFinal: Bool)
        case probe(ConnectivityProbeReport)
    }

    private let publish: @Sendable (ConnectivitySession, News) -> Void
    /// One thread for all sessions, since they never block.
    private static let thread = DispatchQueue(label: "reach-connectivity")
    private let queue = DispatchQueue(label: "reach-connectivity", target: thread)
    private let state: Lock<State>

    /// - Parameters:
    ///   - plan: The session's plan.
    ///   - publish: Called on the queue.
    init(
        _ plan: Plan,
        publish: @escaping @Sendable (ConnectivitySession, News) -> Void
    ) {
        self.plan = plan
        self.publish = publish
        state = Lock(
            State(schedule: ProbeSchedule(plan.options, limit: plan.probe.limit)))
    }

    func start() {
        queue.async { self.begin() }
    }

    /// Ends the running probe; nothing is published afterwards.
    func end() {
        queue.async {
            let (watches, hints, question, timer) = self.state.withLock { state in
                state.isEnded = true
                defer { state.watches = [] }
                return (
                    state.watches, state.hints.take(), state.question.take(), state.timer.take()
                )
            }
            hints?.cancel()
            for task in watches { task.cancel() }
            question?.cancel()
            timer?.cancel()
        }
    }

    /// Calls `body` on the queue, after everything that is already due there.
    func perform(_ body: @escaping @Sendable () -> Void) {
        queue.async(execute: body)
    }

    func send(_ event: ProbeSchedule.Event) {
        queue.async { self.handle(event) }
    }

    private func begin() {
        guard state.withLock({ !$0.isEnded }) else { return }
        let timer = SessionTimer(queue: queue) { [weak self] in self?.handle(.timer) }
        let send: @Sendable (ProbeSchedule.Event) -> Void = { [weak self] in self?.send($0) }
        let (manager, retry) = (plan.manager, plan.options.retryInterval)
        let watches = [
            Task.detached { await watchPath(of: manager, retry, send) },
            Task.detached { await watchInterfaces(of: manager.target.namespace, retry, send) },
        ]
        let hints = plan.probe.networkManager?.follow { _ in send(.hint) }
        state.withLock { state in
            state.timer = timer
            state.watches = watches
            state.hints = hints
        }
    }

    private func handle(_ event: ProbeSchedule.Event) {
        let (now, random) = (SessionTimer.now, Double.random(in: 0..<1))
        let (actions, report) = state.withLock { state in
            state.isEnded
                ? ([], nil)
                : (
                    state.schedule.handle(event, at: now, random: random),
                    state.schedule.report.take()
                )
        }
        if let report { publish(self, .probe(report)) }
        for action in actions { perform(action) }
    }

    private func perform(_ action: ProbeSchedule.Action) {
        switch action {
        case .publish(let new, let isFinal): publish(self, .state(new, isFinal: isFinal))
        case .setTimer(let due): state.withLock { $0.timer }?.set(due)
        case .cancel: replaceQuestion(by: nil)?.cancel()
        case .ask(let snapshot, let number):
            let (probe, target) = (plan.probe, plan.manager.target)
            let task = Task.detached { [weak self] in
                let answer = await probe.run(target, snapshot)
                self?.send(.answer(answer, question: number))
            }
            // Released here, not under the lock.
            withExtendedLifetime(replaceQuestion(by: task)) {}
        }
    }

    private func replaceQuestion(by new: Task<Void, Never>?) -> Task<Void, Never>? {
        state.withLock { state in
            defer { state.question = new }
            return state.question
        }
    }
}

/// Sends each state of the target until the task is cancelled.
private func watchPath(
    of manager: NetworkReachabilityManager, _ retry: Duration,
    _ send: @Sendable (ProbeSchedule.Event) -> Void
) async {
    while !Task.isCancelled {
        do throws(ReachabilityError) {
            var snapshots = manager.snapshots.makeAsyncIterator()
            while let snapshot = try await snapshots.next() { send(.path(snapshot)) }
        } catch {
            send(.failed(error))
        }
        try? await Task.sleep(for: retry)
    }
}

/// Sends whether any interface is usable, at each change, until the task is cancelled.
private func watchInterfaces(
    of namespace: NetworkNamespace, _ retry: Duration,
    _ send: @Sendable (ProbeSchedule.Event) -> Void
) async {
    var last: Bool?
    while !Task.isCancelled {
        do throws(ReachabilityError) {
            var updates = NetworkInterface.updates(in: namespace).makeAsyncIterator()
            while let interfaces = try await updates.next() {
                let areUsable = interfaces.contains { $0.mayLeadOut }
                if areUsable != last { send(.interfaces(areUsable: areUsable)) }
                last = areUsable
            }
        } catch {
            // The watch of the path fails with the same error, and reports it.
        }
        try? await Task.sleep(for: retry)
    }
}

extension NetworkInterface {
    /// Whether it has an address beyond link-local ones.
    fileprivate var mayLeadOut: Bool {
        interfaceClass != .loopback && isUsable && !ownAddresses.isEmpty
    }
}

/// A timer on CLOCK_BOOTTIME, which libdispatch lacks: if its time passes during a suspension, it
/// expires at the resume.
///
/// Use it on its queue only.
final class SessionTimer: Sendable {
    private struct State: Sendable {
        /// Nil before the first use, or if the process has no descriptor left.
        var timer: TimerDescriptor?
        var source: (any DispatchSourceRead)?
    }

    private let queue: DispatchQueue
    private let expired: @Sendable () -> Void
    private let state = Lock(State())

    init(queue: DispatchQueue, _ expired: @escaping @Sendable () -> Void) {
        self.queue = queue
        self.expired = expired
    }

    /// CLOCK_BOOTTIME.
    static var now: Duration {
        var time = timespec()
        unsafe clock_gettime(CLOCK_BOOTTIME, &time)
        return .seconds(Int64(time.tv_sec)) + .nanoseconds(Int64(time.tv_nsec))
    }

    /// Sets the time; nil stops the timer.
    func set(_ due: Duration?) {
        let known = state.withLock { $0.timer }
        guard let timer = known ?? (due == nil ? nil : open()) else {
            // Without a descriptor: a timer on CLOCK_MONOTONIC that can't be replaced. The schedule
            // ignores early expiries.
            guard let due else { return }
            queue.asyncAfter(
                deadline: .now() + (due - Self.now).dispatchInterval, execute: expired)
            return
        }
        timer.set(to: due?.nanoseconds)
    }

    /// Ends the timer for good.
    func cancel() {
        let (source, timer) = state.withLock { ($0.source.take(), $0.timer.take()) }
        source?.cancel()
        withExtendedLifetime(timer) {}
    }

    private func open() -> TimerDescriptor? {
        let descriptor = connectivity_spare(
            timerfd_create(CLOCK_BOOTTIME, O_CLOEXEC | O_NONBLOCK), spareDescriptors * 2)
        guard descriptor >= 0 else { return nil }
        let timer = TimerDescriptor(owning: descriptor)
        let source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: queue)
        source.setEventHandler { [expired] in
            timer.take()
            expired()
        }
        // Keep the descriptor open until the source is cancelled.
        source.setCancelHandler { withExtendedLifetime(timer) {} }
        state.withLock { $0 = State(timer: timer, source: source) }
        source.activate()
        return timer
    }
}
