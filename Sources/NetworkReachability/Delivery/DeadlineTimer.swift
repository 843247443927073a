// SPDX-License-Identifier: MIT

package import Dispatch

/// Calls `expire` on a queue when the time has passed, unless the timer is cancelled first.
package func deadlineTimer(
    after time: Duration, queue: DispatchQueue = .global(),
    _ expire: @escaping @Sendable () -> Void
) -> any DispatchSourceTimer {
    let timer = DispatchSource.makeTimerSource(queue: queue)
    timer.setEventHandler(handler: expire)
    timer.schedule(deadline: .now() + time.dispatchInterval)
    timer.activate()
    return timer
}

extension Duration {
    /// The time in nanoseconds, at least 0 and at most 584 years.
    package var nanoseconds: UInt64 {
        let (seconds, attoseconds) = max(self, .zero).components
        let (whole, isTooLong) = UInt64(seconds).multipliedReportingOverflow(by: 1_000_000_000)
        guard !isTooLong, whole <= .max - 1_000_000_000 else { return .max }
        return whole + UInt64(attoseconds / 1_000_000_000)
    }

    /// The time for libdispatch, at least 0; never after 292 years.
    package var dispatchInterval: DispatchTimeInterval {
        Int(exactly: nanoseconds).map { .nanoseconds($0) } ?? .never
    }
}
