// SPDX-License-Identifier: MIT

/// The hubs of a process, and the modems and metered interfaces for monitors of its own network namespace.
struct MonitorRegistry {
    /// Values from sources other than the kernel.
    struct Known: Equatable, Sendable {
        /// See ``CellularModems``.
        var modems: [CellularModemCondition] = []
        /// See ``MeteredInterfaces``.
        var metered = MeteredInterfaces()

        var isEmpty: Bool { self == Known() }
    }

    /// The hubs that targets can be added to.
    var hubs: [MonitorHub.Key: MonitorHub] = [:]
    /// The values for monitors of the process's namespace.
    var known = Known()

    /// The values for a monitor of a namespace.
    func known(in namespace: NamespaceIdentity) -> Known {
        known.isEmpty || namespace == .process ? known : Known()
    }
}

extension MonitorHandle {
    func set(_ known: MonitorRegistry.Known) {
        guard !known.isEmpty else { return }
        setModems(known.modems)
        setMetered(known.metered)
    }
}

extension MonitorHub {
    /// Called under the lock of the registry.
    fileprivate func set(_ known: MonitorRegistry.Known) {
        state.withLock { state in
            guard !state.isDead else { return }
            state.handle.setModems(known.modems)
            state.handle.setMetered(known.metered)
        }
    }
}

extension MonitorLoop {
    /// Changes the values, here and in the monitors of the process's namespace.
    ///
    /// It holds the lock of the registry, so the later of two changes wins in all monitors. The monitors only
    /// copy the values, and their descriptors become readable.
    func setKnown(_ change: (inout MonitorRegistry.Known) -> Void) {
        // Released after the lock.
        var old = MonitorRegistry.Known()
        defer { withExtendedLifetime(old) {} }
        registry.withLock { registry in
            old = registry.known
            change(&registry.known)
            for (key, hub) in registry.hubs where key.namespace == .process {
                hub.set(registry.known)
            }
        }
    }

    /// The values for a query in a namespace.
    static func known(in namespace: NamespaceIdentity) -> MonitorRegistry.Known {
        existing?.registry.withLock { $0.known(in: namespace) } ?? MonitorRegistry.Known()
    }
}
