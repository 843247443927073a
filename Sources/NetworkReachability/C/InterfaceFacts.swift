// SPDX-License-Identifier: MIT

#if canImport(CReach)
package import CReach

/// What a service other than the kernel knows about an interface.
package typealias InterfaceFacts = reach_interface_facts

extension InterfaceFacts {
    /// The conditions of a modem.
    package typealias Modem = reach_modem_condition

    /// Nil for a name that no interface can have.
    ///
    /// - Parameters:
    ///   - name: The interface; "" for all tunnels without an own value, and for a modem whose interface isn't
    ///     known.
    ///   - isMetered: Whether traffic is metered; nil if unknown.
    ///   - modem: The conditions of the modem, if there is one.
    package init?(name: String, isMetered: Bool? = nil, modem: Modem = []) {
        self.init()
        guard name.utf8.count < MemoryLayout.size(ofValue: interface_name) else { return nil }
        size = MemoryLayout<Self>.size
        unsafe withUnsafeMutableBytes(of: &interface_name) { unsafe $0.copyBytes(from: name.utf8) }
        let value = isMetered.map { $0 ? REACH_METERED_YES : REACH_METERED_NO }
        metered = (value ?? REACH_METERED_UNKNOWN).rawValue
        self.modem = modem.rawValue
    }
}

extension InterfaceFacts.Modem {
    /// Registered with a network, so it can connect.
    package static var registered: Self { .REACH_MODEM_REGISTERED }
    /// Has a data connection; routes and links decide the verdict.
    package static var connected: Self { .REACH_MODEM_CONNECTED }
    /// The SIM needs a PIN or PUK.
    package static var locked: Self { .REACH_MODEM_LOCKED }
    /// Traffic makes a registered modem connect.
    package static var onTraffic: Self { .REACH_MODEM_ON_TRAFFIC }
}
#endif
