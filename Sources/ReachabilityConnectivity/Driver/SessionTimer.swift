// SPDX-License-Identifier: MIT

internal import CConnectivity
internal import Cepoll
@unsafe @preconcurrency internal import Dispatch
internal import NetworkReachability

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

/// A timer of CLOCK_BOOTTIME, which libdispatch's timers do not have: it expires with the resume of the host
/// if its time has passed meanwhile.
///
/// It is used on its queue only.
final class SessionTimer: Sendable {
    private struct State: Sendable {
        /// The timer descriptor's; nil before the first use, and without descriptors.
        var source: (any DispatchSourceRead)?
        var descriptor: CInt = -1
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

    /// Replaces the time; nil for none.
    func set(_ due: Duration?) {
        let descriptor = state.withLock { $0.descriptor }
        guard descriptor >= 0 || (due != nil && open()) else {
            // Without descriptors: CLOCK_MONOTONIC, and without being replaced; the schedule ignores a timer
            // that expires early.
            guard let due else { return }
            queue.asyncAfter(deadline: .now() + due.since(Self.now), execute: expired)
            return
        }
        var time = itimerspec()
        if let due {
            let (seconds, attoseconds) = max(due, .nanoseconds(1)).components
            time.it_value.tv_sec = time_t(clamping: seconds)
            time.it_value.tv_nsec = Int(attoseconds / 1_000_000_000)
        }
        let current = state.withLock { $0.descriptor }
        _ = unsafe timerfd_settime(current, timerAbsolute, &time, nil)
    }

    /// Ends it; it cannot be set any more.
    func cancel() {
        let source = state.withLock { state in
            state.descriptor = -1
            return state.source.take()
        }
        source?.cancel()
    }

    private func open() -> Bool {
        let descriptor = connectivity_spare(
            timerfd_create(CLOCK_BOOTTIME, O_CLOEXEC | O_NONBLOCK), spareDescriptors * 2)
        guard descriptor >= 0 else { return false }
        let source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: queue)
        source.setEventHandler { [expired] in
            var expirations: UInt64 = 0
            _ = unsafe read(descriptor, &expirations, MemoryLayout.size(ofValue: expirations))
            expired()
        }
        source.setCancelHandler { close(descriptor) }
        state.withLock { state in
            state.source = source
            state.descriptor = descriptor
        }
        source.activate()
        return true
    }
}

// TFD_TIMER_ABSTIME, which Glibc and Musl import as different types.
private let timerAbsolute: CInt = 1

extension Duration {
    /// Seconds from then, at least 0.
    fileprivate func since(_ then: Duration) -> Double {
        let (seconds, attoseconds) = max(self - then, .zero).components
        return Double(seconds) + Double(attoseconds) / 1e18
    }
}
