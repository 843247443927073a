// SPDX-License-Identifier: MIT

internal import Dispatch
internal import NetworkReachability

extension BusLoop {
    /// The current report; blocks until there is one, for at most `timeout` after the first call.
    ///
    /// While the service is silent, the first call waits, and later ones return at once.
    func current<Report>(of channel: Channel<Report>, timeout: Duration) -> Report? {
        if let latest = latest(of: channel) { return latest }
        let answer = FirstReport<Report>()
        let id = subscribe(to: channel) { answer.set($0) }
        defer { unsubscribe(id, from: channel) }
        return answer.wait(patience(for: channel, of: timeout))
    }

    /// Calls `call` on the thread with the current report and every change, until the returned closure is called.
    func follow<Report>(
        _ channel: Channel<Report>, _ call: @escaping @Sendable (Report) -> Void
    ) -> @Sendable () -> Void {
        let id = subscribe(to: channel, call)
        return {
            // In a child of fork(), a thread of the parent may hold the lock forever.
            guard self.isOfThisProcess else { return }
            self.unsubscribe(id, from: channel)
        }
    }

    /// Calls `handler` on `queue` with the current report and every change, until the returned closure is called.
    ///
    /// Changes that arrive while the queue is busy are merged into one call.
    func listen<Report: Equatable>(
        to channel: Channel<Report>, on queue: DispatchQueue, stable time: Duration,
        _ handler: @escaping @Sendable (Report) -> Void
    ) -> @Sendable () -> Void {
        let call = NewestCall(queue: queue, handler: handler)
        let end = follow(channel, call.submit(stable: time))
        return {
            guard self.isOfThisProcess else { return }
            call.cancel()
            end()
        }
    }

    /// Feeds the monitors with `facts` of the latest report, until the returned closure is called.
    func feed<Report>(
        _ service: InterfaceFeeds.Service, from channel: Channel<Report>,
        _ facts: @escaping @Sendable (Report) -> [InterfaceFacts]
    ) -> @Sendable () -> Void {
        let identity = SubscriberIdentity()
        let feeds = InterfaceFeeds.current
        feeds.add(identity, of: service) { self.latest(of: channel).map(facts) ?? [] }
        let id = subscribe(to: channel) { _ in feeds.apply() }
        return {
            guard self.isOfThisProcess else { return }
            self.unsubscribe(id, from: channel)
            feeds.remove(identity)
        }
    }
}

/// A report that another thread waits for.
private final class FirstReport<Report: Sendable>: Sendable {
    private let report = Lock<Report?>(nil)
    private let isSet = DispatchSemaphore(value: 0)

    func set(_ new: Report) {
        report.withLock { $0 = new }
        isSet.signal()
    }

    func wait(_ time: Duration) -> Report? {
        _ = isSet.wait(timeout: .now() + time.dispatchInterval)
        return report.withLock { $0 }
    }
}
