// SPDX-License-Identifier: MIT

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
