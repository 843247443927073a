// SPDX-License-Identifier: MIT

internal import NetworkReachability

/// The handles that feed the monitors of the process, each with its latest value.
///
/// The loop may call a subscriber shortly after its removal. Its handle is not in the list any more then, and
/// the call changes nothing.
package final class ReachabilityFeeds<Value: Sendable>: Sendable {
    private struct Feed: Sendable {
        let identity: ObjectIdentifier
        var value: Value
    }

    private let none: Value
    private let apply: @Sendable (Value) -> Void
    /// In the order of their latest values; that of the last one counts.
    private let feeds = Lock<[Feed]>([])

    /// - Parameters:
    ///   - none: The value without a handle.
    ///   - apply: Hands a value to the monitors; called under a lock.
    init(none: Value, apply: @escaping @Sendable (Value) -> Void) {
        self.none = none
        self.apply = apply
    }

    package func add(_ identity: BusLoop.Identity) {
        let feed = Feed(identity: ObjectIdentifier(identity), value: none)
        feeds.withLock { $0.insert(feed, at: 0) }
    }

    /// Under the lock, so that the monitors and the list agree; nothing of the application is called.
    package func set(_ identity: BusLoop.Identity, _ value: Value) {
        let key = ObjectIdentifier(identity)
        feeds.withLock { feeds in
            guard let position = feeds.firstIndex(where: { $0.identity == key }) else { return }
            feeds.remove(at: position)
            feeds.append(Feed(identity: key, value: value))
            apply(value)
        }
    }

    package func remove(_ identity: BusLoop.Identity) {
        let key = ObjectIdentifier(identity)
        feeds.withLock { feeds in
            guard let position = feeds.firstIndex(where: { $0.identity == key }) else { return }
            let hasCounted = position == feeds.count - 1
            feeds.remove(at: position)
            if hasCounted { apply(feeds.last?.value ?? none) }
        }
    }
}
