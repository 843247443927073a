// SPDX-License-Identifier: MIT

internal import NetworkReachability

/// The handles that feed the monitors of the process, each with its latest value.
///
/// The loop may call a subscriber shortly after its removal. Its handle is no longer in the list then, so the
/// call changes nothing.
final class ReachabilityFeeds<Value: Sendable>: Sendable {
    private struct Feed: Sendable {
        let identity: ObjectIdentifier
        var value: Value
    }

    private struct State: Sendable {
        /// Sorted by the age of their values, the newest last; the last value counts.
        var feeds: [Feed] = []
        /// Whether the monitors lack the value that counts.
        var isPending = false
    }

    private let none: Value
    private let apply: @Sendable (Value) -> Bool
    private let state = Lock(State())

    /// - Parameters:
    ///   - none: The value that counts while there is no handle.
    ///   - apply: Hands a value to the monitors, or returns false for lack of descriptors; called under a
    ///     lock.
    init(none: Value, apply: @escaping @Sendable (Value) -> Bool) {
        self.none = none
        self.apply = apply
    }

    func add(_ identity: SubscriberIdentity) {
        let feed = Feed(identity: ObjectIdentifier(identity), value: none)
        state.withLock { $0.feeds.insert(feed, at: 0) }
    }

    /// Records a value, and hands it to the monitors.
    ///
    /// Holds the lock meanwhile, so that the monitors and the list agree. Calls no code of the
    /// application.
    func set(_ identity: SubscriberIdentity, _ value: Value) {
        let key = ObjectIdentifier(identity)
        state.withLock { state in
            guard let position = state.feeds.firstIndex(where: { $0.identity == key }) else {
                return
            }
            state.feeds.remove(at: position)
            state.feeds.append(Feed(identity: key, value: value))
            state.isPending = !apply(value)
        }
    }

    func remove(_ identity: SubscriberIdentity) {
        let key = ObjectIdentifier(identity)
        state.withLock { state in
            guard let position = state.feeds.firstIndex(where: { $0.identity == key }) else {
                return
            }
            let hasCounted = position == state.feeds.count - 1
            state.feeds.remove(at: position)
            if hasCounted { state.isPending = !apply(state.feeds.last?.value ?? none) }
        }
    }

    /// Hands the monitors the value that they lack; false if the caller must try again.
    func retry() -> Bool {
        state.withLock { state in
            if state.isPending, let value = state.feeds.last?.value {
                state.isPending = !apply(value)
            }
            return !state.isPending || state.feeds.isEmpty
        }
    }
}
