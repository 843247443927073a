// SPDX-License-Identifier: MIT

/// Whether traffic is charged, as a source outside of the kernel tells, in the network namespace of the
/// process (`struct reach_metered_interface`).
package struct MeteredInterfaces: Hashable, Sendable {
    /// By name, so that an interface that appears later, is renamed or returns with another index has its
    /// own value, whether it came to the kernel's knowledge or to that of the source first.
    let byName: [String: Bool]
    /// Of interfaces of the class vpn that have no value by name: the source knows of the network below.
    let tunnels: Bool?

    package init(byName: [String: Bool] = [:], tunnels: Bool? = nil) {
        self.byName = byName
        self.tunnels = tunnels
    }
}
