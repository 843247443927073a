// SPDX-License-Identifier: MIT

/// The state of a modem, from a source other than the kernel (`struct reach_modem`).
package struct CellularModemCondition: Hashable, Sendable {
    let interfaceIndex: UInt32?
    let isRegistered: Bool
    let isConnected: Bool
    let isLocked: Bool
    let connectsOnTraffic: Bool

    /// - Parameters:
    ///   - interfaceIndex: The index of the interface that the modem's connection uses; nil if unknown.
    ///   - isRegistered: Whether the modem is registered with a network, so it can connect.
    ///   - isConnected: Whether it has a data connection; if so, routes and links decide the verdict.
    ///   - isLocked: Whether the SIM needs a PIN or PUK.
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
