// SPDX-License-Identifier: MIT

/// The state of a modem from another source than the kernel (`struct reach_modem`).
package struct CellularModemCondition: Hashable, Sendable {
    let interfaceIndex: UInt32?
    let isRegistered: Bool
    let isConnected: Bool
    let isLocked: Bool
    let connectsOnTraffic: Bool

    /// - Parameters:
    ///   - interfaceIndex: The interface that its connection uses, nil if unknown.
    ///   - isRegistered: Whether a data connection can be made.
    ///   - isConnected: Whether it has a data connection, which routes and links then describe.
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
