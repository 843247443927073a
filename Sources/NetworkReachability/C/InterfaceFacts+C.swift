// SPDX-License-Identifier: MIT

package import CReach

extension InterfaceFacts.Modem {
    /// Registered with a network, so it can connect.
    package static let registered = Self(.REACH_MODEM_REGISTERED)
    /// Has a data connection; routes and links decide the verdict.
    package static let connected = Self(.REACH_MODEM_CONNECTED)
    /// The SIM needs a PIN or PUK.
    package static let locked = Self(.REACH_MODEM_LOCKED)
    /// Traffic makes a registered modem connect.
    package static let onTraffic = Self(.REACH_MODEM_ON_TRAFFIC)

    private init(_ condition: reach_modem_condition) {
        self.init(rawValue: condition.rawValue)
    }
}

extension InterfaceFacts {
    /// Nil for a name that no interface can have.
    package var cValue: reach_interface_facts? {
        var facts = reach_interface_facts()
        guard name.utf8.count < MemoryLayout.size(ofValue: facts.interface_name) else { return nil }
        facts.size = MemoryLayout<reach_interface_facts>.size
        unsafe withUnsafeMutableBytes(of: &facts.interface_name) { bytes in
            unsafe bytes.copyBytes(from: name.utf8)
        }
        facts.metered =
            isMetered.map { $0 ? REACH_METERED_YES : REACH_METERED_NO }?.rawValue
            ?? REACH_METERED_UNKNOWN.rawValue
        facts.modem = modem.rawValue
        return facts
    }
}
