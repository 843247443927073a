// SPDX-License-Identifier: MIT

/// What a modem does, with the values of `MMModemState`; later steps to a connection are greater.
///
///     for modem in CellularRadio.shared.currentState(timeout: .seconds(1)).modems {
///         print(modem.state >= .registered ? "has a network" : "has none: \(modem.state)")
///     }
public enum CellularModemState: Int32, Hashable, Sendable, CaseIterable {
    /// It is not usable.
    case failed = -1
    /// Not known.
    case unknown = 0
    /// It is being initialised.
    case initializing = 1
    /// It has to be unlocked, for example with the PIN of its SIM card.
    case locked = 2
    /// It is not enabled.
    case disabled = 3
    /// It is being disabled.
    case disabling = 4
    /// It is being enabled.
    case enabling = 5
    /// It is enabled, and not registered.
    case enabled = 6
    /// It searches for a network.
    case searching = 7
    /// It is registered with a network.
    case registered = 8
    /// The data connection is being closed.
    case disconnecting = 9
    /// The data connection is being opened.
    case connecting = 10
    /// It has a data connection.
    case connected = 11
}

extension CellularModemState: Comparable {
    /// Whether one state is before the other on the way to a connection.
    public static func < (left: CellularModemState, right: CellularModemState) -> Bool {
        left.rawValue < right.rawValue
    }
}
