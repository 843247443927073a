// SPDX-License-Identifier: MIT

/// The subscribers that a hub feeds with values of one kind; the hub's lock protects them.
struct Subscribers<Element: Equatable & Sendable>: Sendable {
    /// Called with each value, and once with the error if the monitor fails.
    struct Sink: Sendable {
        let call: @Sendable (Result<Element, ReachabilityError>) -> Void
    }

    private var sinks: [ObjectIdentifier: Sink] = [:]
    /// Subscribers that have no value yet.
    private var new: Set<ObjectIdentifier> = []
    /// The value that the other subscribers have.
    private var latest: Element?

    var isEmpty: Bool { sinks.isEmpty }

    /// Whether a subscriber has no value yet.
    var hasNew: Bool { !new.isEmpty }

    mutating func add(_ sink: Sink, as identity: SubscriberIdentity) {
        sinks[ObjectIdentifier(identity)] = sink
        new.insert(ObjectIdentifier(identity))
    }

    /// Returns the removed sink; release it after the lock.
    mutating func remove(_ identity: SubscriberIdentity) -> Sink? {
        new.remove(ObjectIdentifier(identity))
        return sinks.removeValue(forKey: ObjectIdentifier(identity))
    }

    /// Returns the deliveries of the current value: to all subscribers if it has changed, else to new ones.
    mutating func publish(_ value: Element) -> [Delivery] {
        let due = value == latest ? sinks.filter { new.contains($0.key) } : sinks
        latest = value
        new = []
        return due.values.map { sink in .here { sink.call(.success(value)) } }
    }

    /// Ends all iterations: the monitor failed.
    func fail(_ error: ReachabilityError) -> [Delivery] {
        sinks.values.map { sink in .here { sink.call(.failure(error)) } }
    }
}
