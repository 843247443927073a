// SPDX-License-Identifier: MIT

#if canImport(CReach)
/// The services that know facts about interfaces in the network namespace of this process.
///
/// A feed reads the latest report of its service whenever a monitor or query needs the facts, so nobody else
/// keeps them. A child of fork() has none.
package final class InterfaceFeeds: OfOneProcess {
    package enum Service: CaseIterable, Sendable {
        case modemManager
        case networkManager
    }

    private struct Feed: Sendable {
        let service: Service
        let facts: @Sendable () -> [InterfaceFacts]
    }

    private static let all = ProcessLocal<InterfaceFeeds>()

    package let process = OwnerProcess()
    /// The last one of each service counts.
    private let feeds = Lock(Subscribers<Never, Feed>())

    private init() {}

    /// The feeds of this process.
    package static var current: InterfaceFeeds { all.current { _ in InterfaceFeeds() } }

    /// The facts for a monitor or query in a namespace.
    static func facts(in namespace: NamespaceIdentity) -> [InterfaceFacts] {
        guard let feeds = all.existing?.feeds.withLock({ $0.all }), !feeds.isEmpty,
            namespace == .process
        else { return [] }
        return Service.allCases.flatMap { service in
            feeds.last { $0.service == service }?.facts() ?? []
        }
    }

    /// Adds a feed; call ``apply()`` when it has facts, and whenever they change.
    ///
    /// `facts` returns the latest ones, and is called with the registry of hubs locked.
    package func add(
        _ service: Service, _ facts: @escaping @Sendable () -> [InterfaceFacts]
    ) -> SubscriberID {
        feeds.withLock { $0.add(Feed(service: service, facts: facts)) }
    }

    package func remove(_ id: SubscriberID) {
        let removed = feeds.withLock { $0.remove(id) }
        withExtendedLifetime(removed) {}
        apply()
    }

    /// Passes the latest facts to all monitors of the process's namespace; later ones read them.
    ///
    /// Call it on any thread. Managers report changed snapshots like any other change. The monitors only copy the
    /// facts, and their descriptors become readable.
    package func apply() {
        MonitorLoop.existing?.registry.withLock { hubs in
            let facts = Self.facts(in: .process)
            for (key, hub) in hubs where key.namespace == .process {
                hub.state.withLock { if !$0.isDead { $0.handle.setFacts(facts) } }
            }
        }
    }
}
#endif
