// SPDX-License-Identifier: MIT

internal import NetworkReachability

/// When to ask, and what to report.
///
/// It has no clock, no source of randomness and no effects: events come in with the time and a random
/// number, actions go out. Times are of one clock that also runs while the host is suspended.
struct ProbeSchedule: Sendable {
    enum Event: Sendable {
        /// A state of the target.
        case path(ReachabilitySnapshot)
        /// Whether an interface other than loopback can be used.
        case interfaces(areUsable: Bool)
        /// The target cannot be monitored; a path follows if it can be again.
        case failed(ReachabilityError)
        /// The timer has expired.
        case timer
        /// The answer to the question of this number.
        case answer(ProbeAnswer, question: Int)
        /// The answer may be another one now.
        case hint
        /// Somebody waits for a state of now.
        case check
    }

    enum Action: Equatable, Sendable {
        /// Ends the question under way.
        case cancel
        case ask(ReachabilitySnapshot, question: Int)
        /// Replaces the time of the timer; nil for none.
        case setTimer(Duration?)
        /// Reports a state; a final one is what a check waits for.
        case publish(ConnectivityState, isFinal: Bool)
    }

    private enum Phase: Equatable, Sendable {
        /// The target, or what interfaces there are, is not known.
        case idle
        /// Asking is of no use, or not allowed.
        case offline
        /// The path has changed, since `start` at the latest.
        case debouncing(due: Duration, start: Duration)
        case asking(end: Duration?)
        case waiting(due: Duration)
    }

    private let options: ConnectivityOptions
    /// After which time a question is ended; nil if it ends by itself.
    private let limit: ProbeLimit?
    private var phase = Phase.idle
    private var snapshot: ReachabilitySnapshot?
    private var areInterfacesUsable: Bool?
    /// Until the next question after an answer other than full.
    private var delay: Duration
    /// Of the latest question.
    private var question = 0
    /// Whether there was a hint since it was asked.
    private var isHinted = false
    /// When that was.
    private var asked = Duration.zero
    /// Of the question that was answered last, until the driver takes it.
    var report: ConnectivityProbeReport?
    private var state = ConnectivityState.unknown
    /// The last answer, and the interface that it was given over; nil since the target could not be asked.
    private var answered: (answer: ProbeAnswer, interface: ReachabilitySnapshot.Interface?)?

    init(_ options: ConnectivityOptions, limit: ProbeLimit?) {
        self.options = options
        self.limit = limit
        delay = options.retryInterval
    }

    /// - Parameters:
    ///   - event: What has happened.
    ///   - now: The time.
    ///   - random: At least 0 and less than 1.
    /// - Returns: What is to be done, in order.
    mutating func handle(_ event: Event, at now: Duration, random: Double) -> [Action] {
        switch event {
        case .path(let new): return change(to: new, at: now)
        case .interfaces(let areUsable):
            areInterfacesUsable = areUsable
            return phase == .offline || phase == .idle ? rest() : []
        case .failed(let error):
            snapshot = nil
            let actions = stop()
            phase = .idle
            answered = nil
            return actions + publish(.unknown, .notMonitored(error), isFinal: true)
        case .timer: return expire(at: now, random: random)
        case .answer(let answer, let number):
            guard case .asking = phase, number == question else { return [] }
            return take(answer, at: now, random: random)
        case .hint: return reconsider(at: now)
        case .check: return check(at: now)
        }
    }

    // MARK: The path

    private mutating func change(to new: ReachabilitySnapshot, at now: Duration) -> [Action] {
        let old = snapshot
        snapshot = new
        guard old.map({ Path($0) }) != Path(new) else {
            guard phase != .idle, state.snapshot != new else { return [] }
            return publish(
                state.level, state.failure, isChecking: state.isChecking, isFinal: false)
        }
        delay = options.retryInterval
        let start: Duration? = if case .debouncing(_, let start) = phase { start } else { nil }
        let actions = stop()
        guard new.mayBeAsked else {
            phase = .idle
            return actions + rest()
        }
        guard old != nil else { return actions + ask(at: now) }
        let begin = start ?? now
        let due = min(now + options.debounceInterval, begin + options.debounceInterval * 10)
        phase = .debouncing(due: due, start: begin)
        return actions + publishChecking() + [.setTimer(due)]
    }

    /// Of a path that was not asked yet, the level is the last one over its interface.
    private mutating func publishChecking() -> [Action] {
        let known = answered?.interface == snapshot?.interface ? answered?.answer : nil
        return publish(
            known?.level ?? .unknown, known?.failure, isChecking: true, isFinal: false)
    }

    /// The state while nothing is asked.
    private mutating func rest() -> [Action] {
        guard let snapshot, !snapshot.mayBeAsked else { return [] }
        guard snapshot.resolution != .pending else {
            return publishChecking()
        }
        guard let areInterfacesUsable else { return [] }
        phase = .offline
        answered = nil
        let failure =
            snapshot.flags.contains(.connectionRequired)
            ? ConnectivityFailure.connectionRequired : nil
        return publish(areInterfacesUsable ? .local : .none, failure, isFinal: true)
    }

    // MARK: Questions

    private mutating func ask(at now: Duration) -> [Action] {
        guard let snapshot else { return [] }
        question += 1
        asked = now
        isHinted = false
        let end = limit.map { now + $0.time }
        phase = .asking(end: end)
        return [.ask(snapshot, question: question), .setTimer(end)]
    }

    private mutating func take(
        _ answer: ProbeAnswer, at now: Duration, random: Double
    ) -> [Action] {
        let isFull = answer.level == .full
        let wait = isFull ? options.interval : min(delay, options.interval)
        delay = isFull ? options.retryInterval : min(delay * 2, options.interval)
        let due = now + wait * (0.9 + 0.2 * random)
        phase = .waiting(due: due)
        answered = (answer, snapshot?.interface)
        report = ConnectivityProbeReport(
            level: answer.level, failure: answer.failure, duration: now - asked,
            phases: answer.phases)
        let actions = publish(answer.level, answer.failure, isFinal: true)
        return actions + (isHinted ? ask(at: now) : [.setTimer(due)])
    }

    private mutating func expire(at now: Duration, random: Double) -> [Action] {
        switch phase {
        case .idle, .offline, .asking(nil): return []
        case .debouncing(let due, _), .waiting(let due):
            return now < due ? [.setTimer(due)] : ask(at: now)
        case .asking(let end?):
            guard now >= end else { return [.setTimer(end)] }
            let answer = limit?.answer ?? ProbeAnswer(.unknown)
            return [.cancel] + take(answer, at: now, random: random)
        }
    }

    private mutating func reconsider(at now: Duration) -> [Action] {
        isHinted = true
        guard case .waiting = phase else { return [] }
        return ask(at: now)
    }

    private mutating func check(at now: Duration) -> [Action] {
        switch phase {
        case .idle where state.failure != nil: [.publish(state, isFinal: true)]
        // The answer under way, or the first state, is that of now.
        case .idle, .asking: []
        case .offline: [.publish(state, isFinal: true)]
        case .debouncing, .waiting: ask(at: now)
        }
    }

    /// Ends what is under way.
    private func stop() -> [Action] {
        switch phase {
        case .idle, .offline: []
        case .debouncing, .waiting: [.setTimer(nil)]
        case .asking: [.cancel, .setTimer(nil)]
        }
    }

    /// Before the first answer there is nothing to report; then every change.
    private mutating func publish(
        _ level: ConnectivityLevel, _ failure: ConnectivityFailure?, isChecking: Bool = false,
        isFinal: Bool
    ) -> [Action] {
        let new = ConnectivityState(
            level: level, snapshot: snapshot ?? .unknown, isChecking: isChecking,
            failure: failure)
        guard isFinal || (new != state && state != .unknown) else { return [] }
        state = new
        return [.publish(new, isFinal: isFinal)]
    }
}

/// What an answer was given for.
private struct Path: Equatable {
    let flags: ReachabilityFlags
    let interface: ReachabilitySnapshot.Interface?
    let source: NetworkAddress?
    let gateway: NetworkAddress?
    /// A set: a resolver may rotate them.
    let addresses: Set<NetworkAddress>
    let isPending: Bool

    init(_ snapshot: ReachabilitySnapshot) {
        flags = snapshot.flags
        interface = snapshot.interface
        source = snapshot.source
        gateway = snapshot.gateway
        addresses = Set(snapshot.addresses)
        isPending = snapshot.resolution == .pending
    }
}

extension ReachabilitySnapshot {
    /// Whether a packet can be sent now, without a connection being dialled for it.
    fileprivate var mayBeAsked: Bool {
        flags.contains(.reachable) && !flags.contains(.connectionRequired)
            && resolution != .pending
    }
}
