// SPDX-License-Identifier: MIT

internal import CConnectivity
internal import NetworkReachability
internal import ReachLibc

/// A probe of the C library, on a thread of its own, that a task waits for.
///
/// The end of the task ends the wait at once, and the thread as soon as libcurl lets it, which waits for
/// getaddrinfo().
final class ProbeCall: Sendable {
    /// Called with the descriptor whose readability ends it.
    typealias Probe = @Sendable (CInt) -> ProbeOutcome

    private let probe: Probe
    private let first = FirstOutcome<ProbeAnswer>()
    /// Of the probe under way.
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

    /// The first answer counts, and ends the probe.
    func end(_ answer: ProbeAnswer) {
        first.end(answer)
        cancellation.withLock { $0.take() }?.cancel()
    }

    /// Makes the probe, and gives the turn back after it; false if the turn is free at once.
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

/// What a probe found, and what is left of it.
struct ProbeOutcome {
    let answer: ProbeAnswer
    /// Whether the lookup of the name goes on.
    var isLookingUp = false
    /// Called once, on the thread of the probe; blocks as long as the lookup does.
    var finish: () -> Void = {}
}

/// The descriptor that ends a probe; open as long as the probe or its task may use it.
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

/// How many descriptors are left to others: libdispatch ends a process in which it has none for /proc
/// (_dispatch_workq_monitor_pools()).
let spareDescriptors: CUnsignedInt = 8
