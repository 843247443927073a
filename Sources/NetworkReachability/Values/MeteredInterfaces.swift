// SPDX-License-Identifier: MIT

/// The interfaces of the process's network namespace that are metered or not, according to a source outside
/// the kernel (`struct reach_metered_interface`).
package struct MeteredInterfaces: Hashable, Sendable {
    /// Whether each interface is metered, by name.
    ///
    /// The value applies to the interface that has the name now, even if it appeared later, was renamed
    /// to it, or has a new index.
    let byName: [String: Bool]
    /// Whether interfaces of class `vpn` that ``byName`` lacks are metered: they cost what the network below costs.
    let tunnels: Bool?

    package init(byName: [String: Bool] = [:], tunnels: Bool? = nil) {
        self.byName = byName
        self.tunnels = tunnels
    }
}
