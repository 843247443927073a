// SPDX-License-Identifier: MIT

/// A modem's step on the way to a connection, with the values of `MMModemState`; later steps are greater.
///
///     for modem in CellularRadio.shared.currentState(timeout: .seconds(1)).modems {
///         print(modem.state >= .registered ? "has a network" : "has none: \(modem.state)")
///     }
public enum CellularModemState: Int32, Hashable, Sendable, CaseIterable {
    /// Not usable.
    case failed = -1
    /// Not known.
    case unknown = 0
    /// Initializing.
    case initializing = 1
    /// Locked; needs, for example, the PIN of its SIM card.
    case locked = 2
    /// Disabled.
    case disabled = 3
    /// Being disabled.
    case disabling = 4
    /// Being enabled.
    case enabling = 5
    /// Enabled, but not registered.
    case enabled = 6
    /// Searching for a network.
    case searching = 7
    /// Registered with a network.
    case registered = 8
    /// The data connection is being closed.
    case disconnecting = 9
    /// The data connection is being opened.
    case connecting = 10
    /// Has a data connection.
    case connected = 11
}

extension CellularModemState: Comparable {
    /// Whether one state comes before the other on the way to a connection.
    public static func < (left: CellularModemState, right: CellularModemState) -> Bool {
        left.rawValue < right.rawValue
    }
}
