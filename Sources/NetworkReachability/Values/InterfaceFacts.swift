// SPDX-License-Identifier: MIT

/// What a source other than the kernel knows about an interface (`struct reach_interface_facts`).
///
/// The key is the name: the facts apply to the interface that has it now, even if it appeared later, was
/// renamed to it, or has a new index.
package struct InterfaceFacts: Hashable, Sendable {
    /// The conditions of a modem, bits of `enum reach_modem_condition`.
    package struct Modem: OptionSet, Hashable, Sendable {
        package let rawValue: UInt32

        package init(rawValue: UInt32) {
            self.rawValue = rawValue
        }
    }

    /// The sources of facts; the list of each is replaced separately.
    package enum Source: Hashable, Sendable {
        case modemManager
        case networkManager
    }

    /// The interface; "" for all tunnels without an own value of ``isMetered``, and for a modem whose interface
    /// isn't known.
    let name: String
    /// Whether traffic is metered; nil if unknown.
    ///
    /// If a name occurs twice, a metered entry wins.
    let isMetered: Bool?
    /// The conditions of the modem, if there is one.
    let modem: Modem

    package init(name: String, isMetered: Bool? = nil, modem: Modem = []) {
        self.name = name
        self.isMetered = isMetered
        self.modem = modem
    }
}
