// SPDX-License-Identifier: MIT

internal import CConnectivity
internal import NetworkReachability
internal import Synchronization

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

/// A probe of the C library, on a thread of its own, that a task waits for.
///
/// The end of the task ends the wait at once, and the thread as soon as libcurl lets it, which waits for
/// getaddrinfo().
final class ProbeCall: Sendable {
    private struct State: Sendable {
        var answer: ProbeAnswer?
        var continuation: CheckedContinuation<ProbeAnswer, Never>?
    }

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
                try startThread(named: "reach-probe") {
                    self.end(probe(cancellation.descriptor))
                }
            } catch {
                end(ProbeAnswer(.unknown, failure: .outOfResources(error)))
            }
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
    /// Most of the process: threads of lookups that hang can stay for a while.
    private static let most = 64
    private static let count = Atomic(0)

    let descriptor: CInt

    init() throws(ReachabilityErrno) {
        let count = Self.count.add(1, ordering: .relaxed).newValue
        // Of each probe: its namespace, sockets, libcurl's own, those of the lookup and of TLS.
        let descriptor =
            count <= Self.most
            ? connectivity_cancel_open(CUnsignedInt(count) * 8 + spareDescriptors) : -EAGAIN
        guard descriptor >= 0 else {
            Self.count.subtract(1, ordering: .relaxed)
            throw ReachabilityErrno(rawValue: -descriptor)
        }
        self.descriptor = descriptor
    }

    deinit {
        close(descriptor)
        Self.count.subtract(1, ordering: .relaxed)
    }

    func cancel() {
        connectivity_cancel(descriptor)
    }
}

/// How many descriptors are left to others: libdispatch ends a process in which it has none for /proc
/// (_dispatch_workq_monitor_pools()).
let spareDescriptors: CUnsignedInt = 8
