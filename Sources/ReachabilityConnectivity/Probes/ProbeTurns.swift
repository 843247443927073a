// SPDX-License-Identifier: MIT

internal import NetworkReachability

/// The turns of probes that have threads: 64 at a time, the others wait.
final class ProbeTurns: Sendable {
    /// Of probes that look up a name.
    ///
    /// libcurl can't leave getaddrinfo(), so a lookup that hangs keeps its turn after the probe has its answer.
    static let names = ProbeTurns()
    /// Of other probes, whose turns end with them: lookups that hang don't delay them.
    static let addresses = ProbeTurns()

    static let most = 64

    private struct State: Sendable {
        var taken = 0
        /// How many of them are lookups that nobody waits for.
        var hanging = 0
        var waiting: [ProbeCall] = []
    }

    private enum Turn { case now, later, never }

    private let state = Lock(State())

    /// How many descriptors the probes of the process may need: each for its namespace, sockets, libcurl's own,
    /// those of the lookup and of TLS.
    var descriptors: CUnsignedInt {
        [Self.names, Self.addresses].reduce(0) { sum, turns in
            sum + 8 * turns.state.withLock { CUnsignedInt($0.taken) }
        }
    }

    /// How many calls wait.
    var waiting: Int { state.withLock { $0.waiting.count } }

    /// Starts the call when it is its turn; ends it if all turns are lookups that hang.
    func enter(_ call: ProbeCall) {
        let turn = state.withLock { state -> Turn in
            if state.taken < Self.most {
                state.taken += 1
                return .now
            }
            guard state.hanging < Self.most else { return .never }
            state.waiting.append(call)
            return .later
        }
        switch turn {
        case .now: start(call)
        case .later: break
        case .never: call.end(ProbeAnswer(.unknown, failure: .lookupsHang))
        }
    }

    /// The call does not wait for its turn any more.
    func withdraw(_ call: ProbeCall) {
        let removed = state.withLock { state in
            state.waiting.firstIndex { $0 === call }.map { state.waiting.remove(at: $0) }
        }
        withExtendedLifetime(removed) {}
    }

    /// A call that has too few descriptors waits for another one to end; false if none is under way.
    func postpone(_ call: ProbeCall) -> Bool {
        state.withLock { state in
            guard state.taken - state.hanging > 1 else { return false }
            state.taken -= 1
            state.waiting.insert(call, at: 0)
            return true
        }
    }

    /// The probe of a turn has its answer, and its lookup goes on.
    func hang() {
        let refused = state.withLock { state -> [ProbeCall] in
            state.hanging += 1
            guard state.hanging == Self.most else { return [] }
            defer { state.waiting = [] }
            return state.waiting
        }
        for call in refused { call.end(ProbeAnswer(.unknown, failure: .lookupsHang)) }
    }

    /// A turn ends, on a thread that may be in another network namespace, which a thread that it starts would
    /// inherit.
    func leave(wasHanging: Bool) {
        guard let next = pass(wasHanging: wasHanging) else { return }
        Task.detached { self.start(next) }
    }

    /// Gives a turn to a call, or to the next one that wants it.
    private func start(_ first: ProbeCall) {
        var next: ProbeCall? = first
        while let call = next, !call.start(in: self) { next = pass(wasHanging: false) }
    }

    /// The call that has the turn next; nil if none waits, and then the turn is free.
    private func pass(wasHanging: Bool) -> ProbeCall? {
        state.withLock { state in
            if wasHanging { state.hanging -= 1 }
            guard !state.waiting.isEmpty else {
                state.taken -= 1
                return nil
            }
            return state.waiting.removeFirst()
        }
    }
}
