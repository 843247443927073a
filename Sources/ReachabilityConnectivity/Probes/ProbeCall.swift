// SPDX-License-Identifier: MIT

#if canImport(CConnectivity)
internal import CConnectivity
internal import NetworkReachability
internal import ReachLibc

/// A probe of the C library, on its own thread, while a task waits.
///
/// Cancelling the task ends the wait at once. The thread ends when libcurl returns, and libcurl
/// waits for getaddrinfo().
final class ProbeCall: Sendable {
    /// Called with a descriptor that ends the probe when readable.
    typealias Probe = @Sendable (CInt) -> ProbeOutcome

    private let probe: Probe
    private let first = FirstOutcome<ProbeAnswer>()
    /// The descriptor of the running probe.
    private let cancellation = Lock<CancelDescriptor?>(nil)

    private init(_ probe: @escaping Probe) {
        self.probe = probe
    }

    static func run(in turns: ProbeTurns, _ probe: @escaping Probe) async -> ProbeAnswer {
        let call = ProbeCall(probe)
        let cancelled = ProbeAnswer(.unknown, failure: .cancelled)
        return await withTaskCancellationHandler {
            if !call.first.isKnown { turns.enter(call) }
            return await call.first.value(ifCancelled: cancelled)
        } onCancel: {
            call.end(cancelled)
            turns.withdraw(call)
        }
    }

    /// Ends the probe with an answer; only the first call counts.
    func end(_ answer: ProbeAnswer) {
        first.end(answer)
        cancellation.withLock { $0.take() }?.cancel()
    }

    /// Starts the probe, whose thread gives the turn back; false if the call doesn't need its turn.
    func start(in turns: ProbeTurns) -> Bool {
        do throws(ReachabilityErrno) {
            let cancellation = try CancelDescriptor(spare: turns.descriptors + spareDescriptors)
            let isWanted = self.cancellation.withLock { current in
                guard !first.isKnown else { return false }
                current = cancellation
                return true
            }
            guard isWanted else { return false }
            try startThread(named: "reach-probe") {
                let outcome = self.probe(cancellation.descriptor)
                let isLookingUp = outcome.isLookingUp
                if isLookingUp { turns.hang() }
                self.end(outcome.answer)
                outcome.finish()
                turns.leave(wasHanging: isLookingUp)
            }
            return true
        } catch {
            if error == .tooManyOpenFiles, turns.postpone(self) { return true }
            end(ProbeAnswer(.unknown, failure: .outOfResources(error)))
            return false
        }
    }
}

/// The result of a probe, and the way to close its request.
struct ProbeOutcome {
    let answer: ProbeAnswer
    /// Whether the lookup of the name goes on.
    var isLookingUp = false
    /// Closes the request; called once, on the probe's thread.
    ///
    /// Blocks until the lookup of the name ends.
    var finish: () -> Void = {}
}

/// The descriptor that ends a probe, open while the probe or its task may use it.
private final class CancelDescriptor: Sendable {
    let descriptor: CInt

    init(spare: CUnsignedInt) throws(ReachabilityErrno) {
        descriptor = connectivity_cancel_open(spare)
        guard descriptor >= 0 else { throw ReachabilityErrno(rawValue: -descriptor) }
    }

    deinit {
        close(descriptor)
    }

    func cancel() {
        connectivity_cancel(descriptor)
    }
}

/// Descriptors kept free for others: libdispatch terminates a process if it can't open /proc
/// (_dispatch_workq_monitor_pools()).
let spareDescriptors: CUnsignedInt = 8

/// Limits probes with threads to 64 at a time; others wait for a turn.
final class ProbeTurns: Sendable {
    /// Turns of probes that look up a name.
    ///
    /// libcurl can't abort getaddrinfo(), so a lookup that hangs keeps its turn after its probe has
    /// ended.
    static let names = ProbeTurns()
    /// Turns of other probes, so that hanging lookups don't delay them.
    static let addresses = ProbeTurns()

    static let most = 64

    private struct State: Sendable {
        var taken = 0
        /// How many of them are abandoned lookups.
        var hanging = 0
        var waiting: [ProbeCall] = []
    }

    private enum Turn { case now, later, never }

    private let state = Lock(State())

    /// Upper bound of the descriptors in use: namespace, sockets, libcurl, lookup, and TLS of each
    /// probe.
    var descriptors: CUnsignedInt {
        [Self.names, Self.addresses].reduce(0) { sum, turns in
            sum + 8 * turns.state.withLock { CUnsignedInt($0.taken) }
        }
    }

    /// How many calls wait.
    var waiting: Int { state.withLock { $0.waiting.count } }

    /// Starts the call when its turn comes; ends it if hanging lookups hold all turns.
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

    /// Removes a call from the queue.
    func withdraw(_ call: ProbeCall) {
        let removed = state.withLock { state in
            state.waiting.firstIndex { $0 === call }.map { state.waiting.remove(at: $0) }
        }
        withExtendedLifetime(removed) {}
    }

    /// Puts a call that lacks descriptors back into the queue; false if no other call is running.
    func postpone(_ call: ProbeCall) -> Bool {
        state.withLock { state in
            guard state.taken - state.hanging > 1 else { return false }
            state.taken -= 1
            state.waiting.insert(call, at: 0)
            return true
        }
    }

    /// Records that the probe of a turn has ended, but its lookup goes on.
    func hang() {
        let refused = state.withLock { state -> [ProbeCall] in
            state.hanging += 1
            guard state.hanging == Self.most else { return [] }
            defer { state.waiting = [] }
            return state.waiting
        }
        for call in refused { call.end(ProbeAnswer(.unknown, failure: .lookupsHang)) }
    }

    /// Ends a turn.
    ///
    /// The caller's thread may be in another network namespace. A thread that it starts would inherit
    /// that namespace.
    func leave(wasHanging: Bool) {
        guard let next = pass(wasHanging: wasHanging) else { return }
        Task.detached { self.start(next) }
    }

    /// Gives a turn to a call, or to the next one waiting.
    private func start(_ first: ProbeCall) {
        var next: ProbeCall? = first
        while let call = next, !call.start(in: self) { next = pass(wasHanging: false) }
    }

    /// The call with the next turn; nil if none waits, so the turn is free.
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
#endif
