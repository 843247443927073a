// SPDX-License-Identifier: MIT

@unsafe @preconcurrency internal import Dispatch
internal import NetworkReachability
#if canImport(CConnectivity)
internal import CConnectivity
internal import Cepoll
internal import ReachLibc

/// A timer on CLOCK_BOOTTIME, which libdispatch lacks: if its time passes during a suspension, it
/// expires at the resume.
///
/// Use it on its queue only.
final class BootTimer: Sendable {
    /// Nil if the process had no descriptor left.
    private let timer: TimerDescriptor?
    private let source: (any DispatchSourceRead)?
    private let queue: DispatchQueue
    private let expired: @Sendable () -> Void

    init(queue: DispatchQueue, _ expired: @escaping @Sendable () -> Void) {
        self.queue = queue
        self.expired = expired
        let descriptor = connectivity_spare(
            timerfd_create(CLOCK_BOOTTIME, O_CLOEXEC | O_NONBLOCK), spareDescriptors * 2)
        guard descriptor >= 0 else {
            (timer, source) = (nil, nil)
            return
        }
        let timer = TimerDescriptor(owning: descriptor)
        let source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: queue)
        source.setEventHandler {
            timer.take()
            expired()
        }
        // Keep the descriptor open until the source is cancelled.
        source.setCancelHandler { withExtendedLifetime(timer) {} }
        source.activate()
        (self.timer, self.source) = (timer, source)
    }

    /// CLOCK_BOOTTIME.
    static var now: Duration {
        var time = timespec()
        unsafe clock_gettime(CLOCK_BOOTTIME, &time)
        return .seconds(Int64(time.tv_sec)) + .nanoseconds(Int64(time.tv_nsec))
    }

    /// Sets the time; nil stops the timer.
    func set(_ due: Duration?) {
        if let timer {
            timer.set(to: due?.nanoseconds)
        } else if let due {
            // A timer on CLOCK_MONOTONIC that can't be replaced. The schedule ignores early expiries.
            queue.asyncAfter(
                deadline: .now() + (due - Self.now).dispatchInterval, execute: expired)
        }
    }

    /// Ends the timer for good.
    func cancel() {
        source?.cancel()
    }
}
#else
/// Without monitors, no path is ever probed.
final class BootTimer: Sendable {
    init(queue: DispatchQueue, _ expired: @escaping @Sendable () -> Void) {}

    static var now: Duration { .zero }

    func set(_ due: Duration?) {}

    func cancel() {}
}
#endif

/// Sends each state of the target until the task is cancelled.
func watchPath(
    of manager: NetworkReachabilityManager, _ retry: Duration,
    _ send: @Sendable (ProbeSchedule.Event) -> Void
) async {
    while !Task.isCancelled {
        do throws(ReachabilityError) {
            var snapshots = manager.snapshots.makeAsyncIterator()
            while let snapshot = try await snapshots.next() { send(.path(snapshot)) }
        } catch {
            send(.failed(error))
        }
        try? await Task.sleep(for: retry)
    }
}

/// Sends whether any interface is usable, at each change, until the task is cancelled.
func watchInterfaces(
    of namespace: NetworkNamespace, _ retry: Duration,
    _ send: @Sendable (ProbeSchedule.Event) -> Void
) async {
    var last: Bool?
    while !Task.isCancelled {
        do throws(ReachabilityError) {
            var updates = NetworkInterface.updates(in: namespace).makeAsyncIterator()
            while let interfaces = try await updates.next() {
                let areUsable = interfaces.contains { $0.mayLeadOut }
                if areUsable != last { send(.interfaces(areUsable: areUsable)) }
                last = areUsable
            }
        } catch {
            // The watch of the path fails with the same error, and reports it.
        }
        try? await Task.sleep(for: retry)
    }
}

extension NetworkInterface {
    /// Whether it has an address beyond link-local ones.
    fileprivate var mayLeadOut: Bool {
        interfaceClass != .loopback && isUsable && !ownAddresses.isEmpty
    }
}
