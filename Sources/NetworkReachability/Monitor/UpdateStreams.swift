// SPDX-License-Identifier: MIT

/// The iterations that a hub feeds with values of a kind; kept in the lock of the hub.
struct UpdateStreams<Element: Equatable & Sendable>: Sendable {
    typealias Stream = ReachabilityUpdates<Element, ReachabilityError>.Stream

    private var continuations: [ObjectIdentifier: Stream.Continuation] = [:]
    /// Iterations that have no value yet.
    private var new: Set<ObjectIdentifier> = []
    /// The value that the others have.
    private var latest: Element?

    var isEmpty: Bool { continuations.isEmpty }

    /// Whether an iteration has no value yet.
    var hasNew: Bool { !new.isEmpty }

    mutating func add(_ continuation: Stream.Continuation, as identity: StreamIdentity) {
        continuations[ObjectIdentifier(identity)] = continuation
        new.insert(ObjectIdentifier(identity))
    }

    /// Returns the removed continuation, to be released after the lock.
    mutating func remove(_ identity: StreamIdentity) -> Stream.Continuation? {
        new.remove(ObjectIdentifier(identity))
        return continuations.removeValue(forKey: ObjectIdentifier(identity))
    }

    /// Returns the deliveries of the current value, to all iterations if it has changed, else to new ones.
    mutating func publish(_ value: Element) -> [Delivery] {
        let due =
            value == latest ? continuations.filter { new.contains($0.key) } : continuations
        latest = value
        new = []
        return due.values.map { continuation in
            .here { continuation.yield(.success(value)) }
        }
    }

    /// The end of all iterations: the monitor failed.
    func fail(_ error: ReachabilityError) -> [Delivery] {
        continuations.values.map { continuation in
            .here {
                continuation.yield(.failure(error))
                continuation.finish()
            }
        }
    }
}
