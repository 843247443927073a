// SPDX-License-Identifier: MIT

package import Dispatch
internal import NetworkReachability

extension BusLoop {
    /// The current report; blocks until the first one, for so many seconds since it was first asked for.
    ///
    /// While the service is silent the first call waits, and all others return at once.
    package func current<Report: BusReport>(within seconds: Double) -> Report? {
        if let latest = latest(Report.self) { return latest }
        let answer = FirstReport<Report>()
        let identity = Identity()
        subscribe(identity) { answer.set($0) }
        defer { unsubscribe(identity, from: Report.self) }
        return answer.wait(patience(Report.self, of: seconds))
    }

    /// Calls `handler` on `queue` with the current report and every change, as one call while the queue is
    /// busy; returns what ends it.
    package func listen<Report: BusReport>(
        on queue: DispatchQueue, _ handler: @escaping @Sendable (Report) -> Void
    ) -> @Sendable () -> Void {
        let call = NewestCall(queue: queue, handler: handler)
        let identity = Identity()
        subscribe(identity) { call.submit($0) }
        return {
            // Both have locks, which in a child of fork() a thread of the parent may hold for ever.
            guard self.isOfThisProcess else { return }
            call.cancel()
            self.unsubscribe(identity, from: Report.self)
        }
    }

    /// Feeds the monitors with what `value` makes of each report; returns what ends it.
    package func feed<Report: BusReport, Value>(
        _ feeds: ReachabilityFeeds<Value>, _ value: @escaping @Sendable (Report) -> Value
    ) -> @Sendable () -> Void {
        let identity = Identity()
        feeds.add(identity)
        subscribe(identity) { feeds.set(identity, value($0)) }
        return {
            guard self.isOfThisProcess else { return }
            self.unsubscribe(identity, from: Report.self)
            feeds.remove(identity)
        }
    }
}

/// The subscription of one iteration over an async sequence, which ends with it.
package final class BusIteration<Report: BusReport>: Sendable {
    package let stream: AsyncStream<Report>
    private let loop: BusLoop
    private let identity = BusLoop.Identity()
    private let continuation: AsyncStream<Report>.Continuation

    package init(_ loop: BusLoop) {
        let (stream, continuation) = AsyncStream<Report>.makeStream(
            bufferingPolicy: .bufferingNewest(1))
        self.loop = loop
        self.stream = stream
        self.continuation = continuation
        loop.subscribe(identity) { continuation.yield($0) }
    }

    // Not in `onTermination`, which Task.cancel() calls under the task's status lock.
    deinit {
        // In a child of fork() a thread of the parent may hold the locks of both for ever.
        guard loop.isOfThisProcess else { return }
        loop.unsubscribe(identity, from: Report.self)
        continuation.finish()
    }
}

/// A report that another thread waits for.
private final class FirstReport<Report: BusReport>: Sendable {
    private let report = Lock<Report?>(nil)
    private let isSet = DispatchSemaphore(value: 0)

    func set(_ new: Report) {
        report.withLock { $0 = new }
        isSet.signal()
    }

    func wait(_ seconds: Double) -> Report? {
        _ = isSet.wait(timeout: .now() + max(0, seconds))
        return report.withLock { $0 }
    }
}
