// SPDX-License-Identifier: MIT

/// The hubs of a process, and what the monitors of its own network namespace know beside the kernel.
struct MonitorRegistry {
    /// The hubs that targets can be added to.
    var hubs: [MonitorHub.Key: MonitorHub] = [:]
    /// See ``CellularModems``.
    var modems: [CellularModemCondition] = []

    /// The modems for a monitor of a namespace.
    func modems(in namespace: NamespaceIdentity) -> [CellularModemCondition] {
        modems.isEmpty || namespace != .process ? [] : modems
    }
}

extension MonitorHub {
    /// Called under the lock of the registry.
    func setModems(_ modems: [CellularModemCondition]) {
        state.withLock { state in
            if !state.isDead { state.handle.setModems(modems) }
        }
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
            swap(&old, &registry.modems)
            registry.modems = modems
            for (key, hub) in registry.hubs where key.namespace == .process {
                hub.setModems(modems)
            }
        }
    }

    /// The modems for a query in a namespace.
    static func modems(in namespace: NamespaceIdentity) -> [CellularModemCondition] {
        existing?.registry.withLock { $0.modems(in: namespace) } ?? []
    }
}
