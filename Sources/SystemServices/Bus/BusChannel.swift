// SPDX-License-Identifier: MIT

internal import NetworkReachability

/// The subscribers of one service, and its latest report; kept in the lock of the loop.
struct BusChannel<Report: SystemServiceState>: Sendable {
    /// A struct, since each access to a bare closure in a generic type would add a reabstraction thunk.
    struct Subscriber: Sendable {
        let call: @Sendable (Report) -> Void
    }

    typealias Round = Subscribers<Report, Subscriber>.Round

    let service: BusService
    private var subscribers = Subscribers<Report, Subscriber>()
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

    /// The latest report while the service is watched; nil before its first answer, and after a restart.
    var latest: Report? {
        subscribers.latest.flatMap { $0.availability == .starting ? nil : $0 }
    }

    mutating func add(_ call: @escaping @Sendable (Report) -> Void) -> SubscriberID {
        isWatched = true
        end = nil
        return subscribers.add(Subscriber(call: call))
    }

    /// Removes a subscriber, and returns it; release it only after you have released the lock.
    mutating func remove(_ id: SubscriberID) -> Subscriber? {
        subscribers.remove(id)
    }

    /// Takes a new report, if there is one, and returns the round of those that lack the latest one.
    mutating func take(_ new: Report?) -> Round? {
        guard isWatched else { return nil }
        guard let new else { return latest == nil ? nil : subscribers.catchUp() }
        let isKnown = new.availability != .starting
        if isKnown { asked = nil }
        // If the service restarted, subscribers that had a report receive an empty one.
        return subscribers.publish(new, toNew: isKnown)
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
        subscribers.forget()
        return false
    }
}
