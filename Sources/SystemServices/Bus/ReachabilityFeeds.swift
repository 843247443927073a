// SPDX-License-Identifier: MIT

internal import NetworkReachability

/// The handles that feed the monitors of the process with facts of one source, each with its latest list.
///
/// The loop may call a subscriber shortly after its removal. Its handle is no longer in the list then, so the
/// call changes nothing.
final class ReachabilityFeeds: Sendable {
    private struct Feed: Sendable {
        let identity: ObjectIdentifier
        var facts: [InterfaceFacts] = []
    }

    private struct State: Sendable {
        /// Sorted by the age of their lists, the newest last; the last list counts.
        var feeds: [Feed] = []
        /// Whether the monitors lack the list that counts.
        var isPending = false
    }

    private let apply: @Sendable ([InterfaceFacts]) -> Bool
    private let state = Lock(State())

    /// - Parameter apply: Hands a list to the monitors, or returns false for lack of descriptors; called under a
    ///   lock.
    init(_ apply: @escaping @Sendable ([InterfaceFacts]) -> Bool) {
        self.apply = apply
    }

    func add(_ identity: SubscriberIdentity) {
        let feed = Feed(identity: ObjectIdentifier(identity))
        state.withLock { $0.feeds.insert(feed, at: 0) }
    }

    /// Records a list, and hands it to the monitors.
    ///
    /// Holds the lock meanwhile, so that the monitors and the list agree. Calls no code of the
    /// application.
    func set(_ identity: SubscriberIdentity, _ facts: [InterfaceFacts]) {
        let key = ObjectIdentifier(identity)
        state.withLock { state in
            guard let position = state.feeds.firstIndex(where: { $0.identity == key }) else {
                return
            }
            state.feeds.remove(at: position)
            state.feeds.append(Feed(identity: key, facts: facts))
            state.isPending = !apply(facts)
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
            if hasCounted { state.isPending = !apply(state.feeds.last?.facts ?? []) }
        }
    }

    /// Hands the monitors the list that they lack; false if the caller must try again.
    func retry() -> Bool {
        state.withLock { state in
            if state.isPending, let facts = state.feeds.last?.facts {
                state.isPending = !apply(facts)
            }
            return !state.isPending || state.feeds.isEmpty
        }
    }
}
