// SPDX-License-Identifier: MIT

/// The subscribers to a value: each receives the current value first, and then every change.
///
/// The lock of the owner protects it. A function changes state only, and returns what is due: make the calls, and
/// release removed subscribers, once you have released the lock.
///
/// - Order: subscribers are called in the order of their ranks, and within a rank in the order in which they were
///   added. Values come in the order of ``publish(_:toNew:)``, if the owner makes the calls of one round before
///   those of the next.
/// - First value: a subscriber is new until its first round, with ``publish(_:toNew:)`` or ``catchUp()``. It gets the
///   current value once, whichever is first.
/// - Removal: a removed subscriber is in no later round. A round that was already returned still has it.
/// - Reentrancy: a call may add and remove subscribers. The round doesn't change, and who was added is new.
/// - Last release: a round, and the result of a removal, hold their subscribers, so the lock's holder releases none.
///
/// A round of subscribers that aren't new allocates nothing.
package struct Subscribers<Value: Sendable, Subscriber: Sendable>: Sendable {
    fileprivate struct Entry: Sendable {
        let id: SubscriberID
        let subscriber: Subscriber
        var isNew = true
    }

    private var entries: [Entry] = []
    private var lastNumber: UInt64 = 0
    /// The value that all subscribers have who aren't new; nil if there is none.
    package private(set) var latest: Value?

    package init() {}

    package var isEmpty: Bool { entries.isEmpty }

    /// Whether a subscriber has no value yet.
    package var hasNew: Bool { entries.contains { $0.isNew } }

    package var all: [Subscriber] { entries.map(\.subscriber) }

    package func contains(where isSought: (Subscriber) -> Bool) -> Bool {
        entries.contains { isSought($0.subscriber) }
    }

    package subscript(id: SubscriberID) -> Subscriber? {
        entries.first { $0.id == id }?.subscriber
    }

    /// Adds a subscriber, which is new.
    package mutating func add(_ subscriber: Subscriber, rank: Int = 0) -> SubscriberID {
        lastNumber += 1
        let id = SubscriberID(rank: rank, number: lastNumber)
        let position = entries.lastIndex { $0.id.rank <= rank }.map { $0 + 1 } ?? 0
        entries.insert(Entry(id: id, subscriber: subscriber), at: position)
        return id
    }

    package mutating func remove(_ id: SubscriberID) -> Subscriber? {
        entries.firstIndex { $0.id == id }.map { entries.remove(at: $0).subscriber }
    }

    package mutating func removeAll(where isRemoved: (Subscriber) -> Bool) -> [Subscriber] {
        let removed = entries.filter { isRemoved($0.subscriber) }
        if !removed.isEmpty { entries.removeAll { isRemoved($0.subscriber) } }
        return removed.map(\.subscriber)
    }

    /// Makes `value` the current one, and returns the round of all subscribers.
    ///
    /// Without `toNew`, new subscribers are not in the round, and stay new.
    package mutating func publish(_ value: Value, toNew: Bool = true) -> Round {
        let round = Round(
            entries: toNew ? entries : entries.filter { !$0.isNew }, last: latest, value: value)
        latest = value
        if toNew { markAll(new: false) }
        return round
    }

    /// Returns the round of the new subscribers, with the current value; nil without one.
    package mutating func catchUp() -> Round? {
        guard let latest, hasNew else { return nil }
        defer { markAll(new: false) }
        return Round(entries: entries.filter(\.isNew), last: nil, value: latest)
    }

    /// Forgets the current value: all subscribers are new.
    package mutating func forget() {
        latest = nil
        markAll(new: true)
    }

    private mutating func markAll(new isNew: Bool) {
        // Else the compiler copies the array that a round shares, even if the loop writes nothing.
        guard entries.contains(where: { $0.isNew != isNew }) else { return }
        for index in entries.indices where entries[index].isNew != isNew {
            entries[index].isNew = isNew
        }
    }

    /// A value, and those who are to receive it.
    package struct Round: Sendable {
        fileprivate let entries: [Entry]
        fileprivate let last: Value?
        package let value: Value

        /// Calls `body` with each subscriber, and the value that it has; nil if it is new.
        package func forEach(_ body: (_ subscriber: Subscriber, _ last: Value?) -> Void) {
            for entry in entries { body(entry.subscriber, entry.isNew ? nil : last) }
        }
    }
}

extension Subscribers.Round where Value: Equatable {
    /// Calls `body` with each subscriber that doesn't have the value yet.
    package func forEachChange(_ body: (_ subscriber: Subscriber) -> Void) {
        forEach { if $1 != value { body($0) } }
    }
}

/// Identifies a subscriber of one list.
package struct SubscriberID: Hashable, Sendable {
    fileprivate let rank: Int
    fileprivate let number: UInt64
}
