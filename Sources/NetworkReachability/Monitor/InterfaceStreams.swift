// SPDX-License-Identifier: MIT

/// The iterations over ``NetworkInterface/updates`` that a hub feeds; kept in the lock of the hub.
struct InterfaceStreams: Sendable {
    typealias Stream = ReachabilityUpdates<[NetworkInterface], ReachabilityError>.Stream

    private var continuations: [ObjectIdentifier: Stream.Continuation] = [:]
    /// Iterations that have no value yet.
    private var new: Set<ObjectIdentifier> = []
    /// The list that the others have, and the monitor's counter of changes when it was read.
    private var list: [NetworkInterface] = []
    private var changes: UInt64?

    var isEmpty: Bool { continuations.isEmpty }

    mutating func add(_ continuation: Stream.Continuation, as identity: StreamIdentity) {
        continuations[ObjectIdentifier(identity)] = continuation
        new.insert(ObjectIdentifier(identity))
    }

    /// Returns the removed continuation, to be released after the lock.
    mutating func remove(_ identity: StreamIdentity) -> Stream.Continuation? {
        new.remove(ObjectIdentifier(identity))
        return continuations.removeValue(forKey: ObjectIdentifier(identity))
    }

    /// Reads the interfaces if they have changed, and returns the deliveries that follow.
    mutating func update(from handle: borrowing MonitorHandle) -> [Delivery] {
        guard !continuations.isEmpty else { return [] }
        let before = list
        let changes = handle.interfaceChanges
        if changes != self.changes {
            list = handle.interfaces()
            self.changes = changes
        }
        let due = list == before ? continuations.filter { new.contains($0.key) } : continuations
        new = []
        return due.values.map { [list] continuation in
            .here { continuation.yield(.success(list)) }
        }
    }

    /// The end of all iterations: the monitor failed.
    func fail(_ errno: ReachabilityErrno) -> [Delivery] {
        let error = ReachabilityError.system(errno, doing: "monitoring")
        return continuations.values.map { continuation in
            .here {
                continuation.yield(.failure(error))
                continuation.finish()
            }
        }
    }
}
