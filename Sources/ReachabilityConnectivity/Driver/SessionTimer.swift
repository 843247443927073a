// SPDX-License-Identifier: MIT

internal import CConnectivity
internal import Cepoll
@unsafe @preconcurrency internal import Dispatch
internal import NetworkReachability
internal import ReachLibc

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
