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

/// The modems of the machine, for verdicts on targets in the network namespace of the process.
package enum CellularModems {
    /// Replaces the list; all monitors of that namespace get it, also those that are opened later, and
    /// one-shot queries.
    ///
    /// Any thread. Managers are told of changed verdicts as of any other change. Of more than 8 modems the
    /// last ones are dropped, and the list is of this process, empty in a child of fork().
    ///
    /// - Returns: False if the process has no descriptor left for its loop; then it has no monitors either.
    @discardableResult
    package static func set(_ conditions: [CellularModemCondition]) -> Bool {
        guard let loop = try? MonitorLoop.current() else { return false }
        loop.setModems(conditions)
        return true
    }
}
