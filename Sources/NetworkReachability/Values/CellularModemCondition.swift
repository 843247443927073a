// SPDX-License-Identifier: MIT

/// What is known of a modem from outside of the kernel (`struct reach_modem`).
package struct CellularModemCondition: Hashable, Sendable {
    let interfaceIndex: UInt32?
    let isRegistered: Bool
    let isConnected: Bool
    let isLocked: Bool
    let connectsOnTraffic: Bool

    /// - Parameters:
    ///   - interfaceIndex: The interface that its connection uses, nil if it is not known.
    ///   - isRegistered: Whether a data connection can be made.
    ///   - isConnected: Whether it has one: routes and links tell the rest.
    ///   - isLocked: Whether the SIM wants a PIN or PUK.
    ///   - connectsOnTraffic: Whether traffic makes a registered modem connect.
    package init(
        interfaceIndex: UInt32?, isRegistered: Bool, isConnected: Bool, isLocked: Bool,
        connectsOnTraffic: Bool
    ) {
        self.interfaceIndex = interfaceIndex
        self.isRegistered = isRegistered
        self.isConnected = isConnected
        self.isLocked = isLocked
        self.connectsOnTraffic = connectsOnTraffic
    }
}
