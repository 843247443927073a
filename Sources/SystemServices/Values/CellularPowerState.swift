// SPDX-License-Identifier: MIT

/// Whether a modem's radio is on, with the values of `MMModemPowerState`.
///
///     for modem in CellularRadio.shared.currentState(timeout: .seconds(1)).modems where modem.powerState == .low {
///         print("airplane mode")
///     }
public enum CellularPowerState: UInt32, Hashable, Sendable, CaseIterable {
    /// Not known.
    case unknown = 0
    /// The modem is off.
    case off = 1
    /// The modem is on and its radio off, as in airplane mode.
    case low = 2
    /// The radio is on.
    case on = 3
}

extension CellularPowerState: CustomStringConvertible {
    /// The name of the case, for example `low`.
    public var description: String {
        switch self {
        case .unknown: "unknown"
        case .off: "off"
        case .low: "low"
        case .on: "on"
        }
    }
}
