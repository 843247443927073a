// SPDX-License-Identifier: MIT

@_implementationOnly import CConnectivity
internal import NetworkReachability
internal import Synchronization

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

/// A probe of the C library, on a thread of its own, that a task waits for.
///
/// The end of the task ends the wait at once, and the thread as soon as libcurl lets it: versions before 7.87
/// wait for getaddrinfo().
final class ProbeCall: Sendable {
    private struct State: Sendable {
        var answer: ProbeAnswer?
        var continuation: CheckedContinuation<ProbeAnswer, Never>?
    }

    /// Most threads of the process: those of lookups that hang can stay for a while.
    private static let most = 64
    private static let running = Atomic(0)

    private let state = Lock(State())

    /// Calls `probe` with the descriptor whose readability ends it.
    static func run(_ probe: @escaping @Sendable (CInt) -> ProbeAnswer) async -> ProbeAnswer {
        let call = ProbeCall()
        do throws(ReachabilityErrno) {
            let cancellation = try CancelDescriptor()
            return await withTaskCancellationHandler {
                await call.answer(probe, cancellation)
            } onCancel: {
                cancellation.cancel()
                call.end(ProbeAnswer(.unknown, failure: .cancelled))
            }
        } catch {
            return ProbeAnswer(.unknown, failure: .outOfResources(error))
        }
    }

    private func answer(
        _ probe: @escaping @Sendable (CInt) -> ProbeAnswer, _ cancellation: CancelDescriptor
    ) async -> ProbeAnswer {
        await withCheckedContinuation { continuation in
            let answer = state.withLock { state in
                if state.answer == nil { state.continuation = continuation }
                return state.answer
            }
            if let answer { return continuation.resume(returning: answer) }
            do throws(ReachabilityErrno) {
                try start { self.end(probe(cancellation.descriptor)) }
            } catch {
                end(ProbeAnswer(.unknown, failure: .outOfResources(error)))
            }
        }
    }

    private func start(_ body: @escaping @Sendable () -> Void) throws(ReachabilityErrno) {
        guard Self.running.add(1, ordering: .relaxed).newValue <= Self.most else {
            Self.running.subtract(1, ordering: .relaxed)
            throw ReachabilityErrno(rawValue: EAGAIN)
        }
        do throws(ReachabilityErrno) {
            try startThread(named: "reach-probe") {
                body()
                Self.running.subtract(1, ordering: .relaxed)
            }
        } catch {
            Self.running.subtract(1, ordering: .relaxed)
            throw error
        }
    }

    private func end(_ answer: ProbeAnswer) {
        let continuation = state.withLock { state in
            if state.answer == nil { state.answer = answer }
            return state.continuation.take()
        }
        continuation?.resume(returning: answer)
    }
}

/// The descriptor that ends a probe; open as long as the probe or its task may use it.
private final class CancelDescriptor: Sendable {
    let descriptor: CInt

    init() throws(ReachabilityErrno) {
        descriptor = connectivity_cancel_open()
        guard descriptor >= 0 else { throw ReachabilityErrno(rawValue: -descriptor) }
    }

    deinit {
        close(descriptor)
    }

    func cancel() {
        connectivity_cancel(descriptor)
    }
}
