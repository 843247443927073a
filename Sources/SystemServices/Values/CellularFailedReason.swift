// SPDX-License-Identifier: MIT

/// Why a modem isn't usable, with the values of `MMModemStateFailedReason`.
///
///     for modem in CellularRadio.shared.currentState(timeout: .seconds(1)).modems {
///         if modem.failedReason == .simMissing { print("insert a SIM card") }
///     }
public enum CellularFailedReason: UInt32, Hashable, Sendable, CaseIterable {
    /// ModemManager doesn't know the reason, or this version of the library doesn't.
    case unknown = 1
    /// There is no SIM card.
    case simMissing = 2
    /// The SIM card can't be used.
    case simError = 3
    /// ModemManager can't determine the modem's capabilities.
    case unknownCapabilities = 4
    /// The eSIM has no profile.
    case eSIMWithoutProfiles = 5
}
