// SPDX-License-Identifier: MIT

/// What a modem tells about the connection it could have.
package struct CellularModemCondition: Hashable, Sendable {
    package init(
        interfaceIndex: UInt32?, isRegistered: Bool, isConnected: Bool, isLocked: Bool,
        connectsOnTraffic: Bool
    ) {}
}

/// The modems of the machine, for the verdicts of every monitor.
package enum CellularModems {
    package static func set(_ conditions: [CellularModemCondition]) {}
}
