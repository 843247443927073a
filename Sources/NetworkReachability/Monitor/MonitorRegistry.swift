// SPDX-License-Identifier: MIT

/// The hubs of a process, and the facts about interfaces for monitors of its own network namespace.
struct MonitorRegistry {
    /// The hubs that targets can be added to.
    var hubs: [MonitorHub.Key: MonitorHub] = [:]
    /// By source; no list is empty.
    var facts: [InterfaceFacts.Source: [InterfaceFacts]] = [:]

    /// The facts for a monitor of a namespace.
    func facts(in namespace: NamespaceIdentity) -> [InterfaceFacts] {
        facts.isEmpty || namespace != .process ? [] : facts.values.flatMap(\.self)
    }
}

extension MonitorLoop {
    /// Replaces the facts of a source, here and in the monitors of the process's namespace.
    ///
    /// It holds the lock of the registry, so the later of two changes wins in all monitors. The monitors only
    /// copy the facts, and their descriptors become readable.
    func setFacts(_ facts: [InterfaceFacts], from source: InterfaceFacts.Source) {
        let old = registry.withLock { registry in
            let old = registry.facts[source]
            registry.facts[source] = facts.isEmpty ? nil : facts
            let all = registry.facts(in: .process)
            for (key, hub) in registry.hubs where key.namespace == .process {
                hub.state.withLock { if !$0.isDead { $0.handle.setFacts(all) } }
            }
            return old
        }
        // Released after the lock.
        withExtendedLifetime(old) {}
    }

    /// The facts for a query in a namespace.
    static func facts(in namespace: NamespaceIdentity) -> [InterfaceFacts] {
        existing?.registry.withLock { $0.facts(in: namespace) } ?? []
    }
}

extension [InterfaceFacts] {
    /// Replaces the facts of a source for one-shot queries and all monitors of the process's namespace, including
    /// later ones.
    ///
    /// Call it on any thread. Managers report changed snapshots like any other change. A child of fork() has no
    /// facts.
    ///
    /// - Returns: False if the process has no descriptor left for its loop. Then it has no monitors either.
    @discardableResult
    package func apply(from source: InterfaceFacts.Source) -> Bool {
        guard let loop = try? MonitorLoop.current() else { return false }
        loop.setFacts(self, from: source)
        return true
    }
}
