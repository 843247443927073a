// SPDX-License-Identifier: MIT

internal import NetworkReachability

/// Decides when to probe and what to report.
///
/// A pure type: events enter with the time and a random number, actions leave. Times come from one
/// clock that runs while the host is suspended.
struct ProbeSchedule: Sendable {
    enum Event: Sendable {
        /// A state of the target.
        case path(ReachabilitySnapshot)
        /// Whether an interface other than loopback can be used.
        case interfaces(areUsable: Bool)
        /// The target can't be monitored; a path follows once it can.
        case failed(ReachabilityError)
        /// The timer has expired.
        case timer
        /// The result of the probe with this number.
        case answer(ProbeAnswer, question: Int)
        /// The result may have changed.
        case hint
        /// A caller waits for a state computed from a new probe.
        case check
    }

    enum Action: Equatable, Sendable {
        /// Ends the running probe.
        case cancel
        case ask(ReachabilitySnapshot, question: Int)
        /// Replaces the time of the timer; nil for none.
        case setTimer(Duration?)
        /// Reports a state; a final one ends a check.
        case publish(ConnectivityState, isFinal: Bool)
    }

    private enum Phase: Equatable, Sendable {
        /// The target's path or the interfaces aren't known yet.
        case idle
        /// A probe is useless or not allowed.
        case offline
        /// The path has changed, for the first time at `start`; the probe follows at `due`.
        case debouncing(due: Duration, start: Duration)
        case asking(end: Duration?)
        case waiting(due: Duration)
    }

    private let options: ConnectivityOptions
    /// The time limit of a probe; nil if the probe ends by itself.
    private let limit: ProbeLimit?
    private var phase = Phase.idle
    private var snapshot: ReachabilitySnapshot?
    private var areInterfacesUsable: Bool?
    /// Time to the next probe after a level other than full.
    private var delay: Duration
    /// The number of the latest probe.
    private var question = 0
    /// Whether a hint came since the latest probe was sent.
    private var isHinted = false
    /// When the latest probe was sent.
    private var asked = Duration.zero
    /// The report of the last probe, until the driver takes it.
    var report: ConnectivityProbeReport?
    private var state = ConnectivityState.unknown
    /// The last result and its interface; nil after the target couldn't be probed.
    private var answered: (answer: ProbeAnswer, interface: ReachabilitySnapshot.Interface?)?

    init(_ options: ConnectivityOptions, limit: ProbeLimit?) {
        self.options = options
        self.limit = limit
        delay = options.retryInterval
    }

    /// - Parameters:
    ///   - event: The event.
    ///   - now: The time.
    ///   - random: At least 0 and less than 1.
    /// - Returns: Actions, in order.
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

    /// Reports that a probe is due: until then, the last level over the same interface counts.
    private mutating func publishChecking() -> [Action] {
        let known = answered?.interface == snapshot?.interface ? answered?.answer : nil
        return publish(
            known?.level ?? .unknown, known?.failure, isChecking: true, isFinal: false)
    }

    /// Reports the state of a target that can't be probed now.
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
        return publish(areInterfacesUsable ? .local : .noNetwork, failure, isFinal: true)
    }

    // MARK: Probes

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
        // A running probe, or the first state, already answers this check.
        case .idle, .asking: []
        case .offline: [.publish(state, isFinal: true)]
        case .debouncing, .waiting: ask(at: now)
        }
    }

    /// Ends the running probe.
    private func stop() -> [Action] {
        switch phase {
        case .idle, .offline: []
        case .debouncing, .waiting: [.setTimer(nil)]
        case .asking: [.cancel, .setTimer(nil)]
        }
    }

    /// Reports nothing before the first result, then every change.
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

/// The parts of a snapshot whose change requires a new probe.
private struct Path: Equatable {
    let flags: ReachabilityFlags
    let interface: ReachabilitySnapshot.Interface?
    let source: NetworkAddress?
    let gateway: NetworkAddress?
    /// A set, because a resolver may rotate the addresses.
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
    /// Whether a packet can be sent now without dialing a connection.
    fileprivate var mayBeAsked: Bool {
        flags.contains(.reachable) && !flags.contains(.connectionRequired)
            && resolution != .pending
    }
}
