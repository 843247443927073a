// SPDX-License-Identifier: MIT

internal import NetworkReachability

/// The subscribers of one service, and its latest report; kept in the lock of the loop.
struct BusChannel<Report: SystemServiceState>: Sendable {
    private struct Subscriber: Sendable {
        let call: @Sendable (Report) -> Void
        /// Keeps the object alive, because its address is the key.
        let identity: SubscriberIdentity
        var hasCurrent = false
    }

    let service: BusService
    private var subscribers: [ObjectIdentifier: Subscriber] = [:]
    /// The latest report while the service is watched; `starting` before.
    private(set) var latest = Report(availability: .starting)
    /// Whether to watch the service: while there are subscribers, and some time longer.
    private var isWatched = false
    /// When to stop watching without a subscriber (CLOCK_MONOTONIC, milliseconds).
    private(set) var end: Int64?
    /// When the wait for an answer began (CLOCK_MONOTONIC, milliseconds); nil if nobody has asked since the last
    /// answer.
    private var asked: Int64?

    init(_ service: BusService) {
        self.service = service
    }

    mutating func add(
        _ identity: SubscriberIdentity, _ call: @escaping @Sendable (Report) -> Void
    ) {
        subscribers[ObjectIdentifier(identity)] = Subscriber(call: call, identity: identity)
        isWatched = true
        end = nil
    }

    /// Removes a subscriber, and returns it; release it only after you have released the lock.
    mutating func remove(_ identity: SubscriberIdentity) -> (any Sendable)? {
        subscribers.removeValue(forKey: ObjectIdentifier(identity))
    }

    /// Takes a new report, if there is one, and returns the calls of the subscribers that don't have the
    /// latest report.
    mutating func take(_ new: Report?) -> [@Sendable () -> Void] {
        guard isWatched else { return [] }
        let hasChanged = new.map { $0 != latest } ?? false
        if let new {
            latest = new
            if new.availability != .starting { asked = nil }
        }
        // The service restarted, so subscribers that had a report receive an empty one.
        let isKnown = latest.availability != .starting
        var calls: [@Sendable () -> Void] = []
        for (key, subscriber) in subscribers
        where subscriber.hasCurrent ? hasChanged : isKnown {
            calls.append { [latest] in subscriber.call(latest) }
            subscribers[key]?.hasCurrent = true
        }
        return calls
    }

    /// The part of `time` that is left to wait for an answer, counted from the first call.
    mutating func patience(at now: Int64, of time: Duration) -> Duration {
        let start = asked ?? now
        asked = start
        return max(.zero, time - .milliseconds(now - start))
    }

    /// Whether to go on watching the service: without subscribers, for `linger` milliseconds.
    mutating func staysWatched(at now: Int64, linger: Int64) -> Bool {
        guard isWatched, subscribers.isEmpty else { return isWatched }
        let end = end ?? now + linger
        self.end = end
        guard now >= end else { return true }
        self.end = nil
        isWatched = false
        latest = Report(availability: .starting)
        return false
    }
}
