// SPDX-License-Identifier: MIT

/// The hubs of a process, and what the monitors of its own network namespace know beside the kernel.
struct MonitorRegistry {
    /// What is known beside the kernel.
    struct Known: Sendable {
        /// See ``CellularModems``.
        var modems: [CellularModemCondition] = []
        /// See ``MeteredInterfaces``.
        var metered = MeteredInterfaces()
    }

    /// The hubs that targets can be added to.
    var hubs: [MonitorHub.Key: MonitorHub] = [:]
    /// For the namespace of the process.
    var known = Known()

    /// What is known for a monitor of a namespace.
    func known(in namespace: NamespaceIdentity) -> Known {
        if known.modems.isEmpty && known.metered == MeteredInterfaces() { return Known() }
        return namespace == .process ? known : Known()
    }
}

extension MonitorHub {
    /// Called under the lock of the registry.
    fileprivate func setModems(_ modems: [CellularModemCondition]) {
        state.withLock { state in
            if !state.isDead { state.handle.setModems(modems) }
        }
    }

    /// Called under the lock of the registry.
    fileprivate func setMetered(_ metered: MeteredInterfaces) {
        state.withLock { $0.handle.metered = metered }
    }

    /// Reports to the sessions whose snapshot was made before the last change of the set.
    ///
    /// In the loop, which reports no other snapshots meanwhile.
    fileprivate func publishMetered() -> [Delivery] {
        let (metered, sessions) = state.withLock { state in
            (state.handle.metered, Array(state.sessions.values))
        }
        return sessions.flatMap { $0.setMetered(metered) }
    }
}

extension MonitorLoop {
    /// Replaces the modems, here and in the monitors of the process's namespace.
    ///
    /// Under the lock of the registry, so that of two lists the later one holds everywhere; the monitors
    /// only take a copy, which makes their descriptors readable.
    func setModems(_ modems: [CellularModemCondition]) {
        // Released after the lock.
        var old: [CellularModemCondition] = []
        defer { withExtendedLifetime(old) {} }
        registry.withLock { registry in
            swap(&old, &registry.known.modems)
            registry.known.modems = modems
            for (key, hub) in registry.hubs where key.namespace == .process {
                hub.setModems(modems)
            }
        }
    }

    /// Replaces the set of metered interfaces, likewise; snapshots that change are published by the loop.
    func setMetered(_ metered: MeteredInterfaces) {
        let hubs = registry.withLock { registry -> [MonitorHub] in
            guard registry.known.metered != metered else { return [] }
            registry.known.metered = metered
            let hubs = registry.hubs.filter { $0.key.namespace == .process }.map(\.value)
            for hub in hubs { hub.setMetered(metered) }
            return hubs
        }
        guard !hubs.isEmpty else { return }
        MonitorLoop.perform { hubs.flatMap { $0.publishMetered() } }
    }

    /// What is known for a query in a namespace.
    static func known(in namespace: NamespaceIdentity) -> MonitorRegistry.Known {
        existing?.registry.withLock { $0.known(in: namespace) } ?? MonitorRegistry.Known()
    }
}
