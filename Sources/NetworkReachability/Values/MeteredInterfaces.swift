// SPDX-License-Identifier: MIT

/// Whether traffic is charged, as a source outside of the kernel tells, in the network namespace of the
/// process.
package struct MeteredInterfaces: Hashable, Sendable {
    /// By name, so that an interface that appears later, is renamed or returns with another index has its
    /// own value, whether it came to the kernel's knowledge or to that of the source first.
    private let byName: [String: Bool]
    /// Of interfaces of the class vpn that have no value by name: the source knows of the network below.
    private let tunnels: Bool?

    package init(byName: [String: Bool] = [:], tunnels: Bool? = nil) {
        self.byName = byName
        self.tunnels = tunnels
    }

    /// The value of ``ReachabilitySnapshot/isMetered`` for an interface.
    package func value(of interface: ReachabilitySnapshot.Interface) -> Bool? {
        byName[interface.name] ?? (interface.interfaceClass == .vpn ? tunnels : nil)
    }
}

extension ReachabilitySnapshot {
    /// The snapshot with the value of its interface in `metered`; nil if that is the one it has.
    package func changed(by metered: MeteredInterfaces) -> ReachabilitySnapshot? {
        let isMetered = interface.flatMap { metered.value(of: $0) }
        guard isMetered != self.isMetered else { return nil }
        var new = self
        new.isMetered = isMetered
        return new
    }
}
