// SPDX-License-Identifier: MIT

internal import NetworkReachability

/// The subscribers of one service, and its latest report; kept in the lock of the loop.
struct BusChannel<Report: SystemServiceState>: Sendable {
    private struct Subscriber: Sendable {
        let call: @Sendable (Report) -> Void
        /// Keeps the address that is the key.
        let identity: SubscriberIdentity
        var hasCurrent = false
    }

    let service: BusService
    private var subscribers: [ObjectIdentifier: Subscriber] = [:]
    /// Of the time that the service is watched; starting before.
    private(set) var latest = Report(availability: .starting)
    /// Whether the service is to be watched; some time longer than there are subscribers.
    private var isWatched = false
    /// When that ends (CLOCK_MONOTONIC, milliseconds), while there is no subscriber.
    private(set) var end: Int64?
    /// Since when an answer is waited for (CLOCK_MONOTONIC, milliseconds); nil unless someone asked since the
    /// last one.
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

    /// Returns what is to be released after the lock.
    mutating func remove(_ identity: SubscriberIdentity) -> (any Sendable)? {
        subscribers.removeValue(forKey: ObjectIdentifier(identity))
    }

    /// Takes a new report, if there is one, and returns the calls of the subscribers that do not have the
    /// latest.
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

    /// How much of `time` is left to wait for an answer: the wait begins with the first question.
    mutating func patience(at now: Int64, of time: Duration) -> Duration {
        let start = asked ?? now
        asked = start
        return max(.zero, time - .milliseconds(now - start))
    }

    /// Whether the service is to be watched on; without subscribers for `linger` milliseconds.
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
