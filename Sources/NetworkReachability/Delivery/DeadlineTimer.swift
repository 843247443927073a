// SPDX-License-Identifier: MIT

package import Dispatch

/// Calls `expire` on a queue when the time has passed, unless the timer is cancelled before.
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
    /// The time in nanoseconds, at least 0 and at most 292 years.
    fileprivate var dispatchInterval: DispatchTimeInterval {
        let (seconds, attoseconds) = components
        let (whole, isTooLong) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        guard self > .zero else { return .nanoseconds(0) }
        guard !isTooLong, whole < Int64.max - 1_000_000_000 else { return .never }
        return .nanoseconds(Int(whole + attoseconds / 1_000_000_000))
    }
}
