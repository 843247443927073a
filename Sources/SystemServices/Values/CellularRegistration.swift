// SPDX-License-Identifier: MIT

/// The registration with a 3GPP network, with the values of `MMModem3gppRegistrationState`.
///
///     for modem in CellularRadio.shared.currentState(timeout: .seconds(1)).modems {
///         if modem.registration == .denied { print("the network refused the SIM card") }
///     }
public enum CellularRegistration: UInt32, Hashable, Sendable, CaseIterable {
    /// Not registered, and not searching.
    case idle = 0
    /// Registered with the home network.
    case home = 1
    /// Searching for a network.
    case searching = 2
    /// Refused by the network.
    case denied = 3
    /// Not known.
    case unknown = 4
    /// Registered with the network of another operator.
    case roaming = 5
    /// Registered with the home network, for short messages only.
    case homeMessagesOnly = 6
    /// Registered with the network of another operator, for short messages only.
    case roamingMessagesOnly = 7
    /// Emergency calls only.
    case emergencyOnly = 8
    /// Registered with the home network; circuit-switched fallback isn't preferred.
    case homeWithoutFallback = 9
    /// Registered with the network of another operator; circuit-switched fallback isn't preferred.
    case roamingWithoutFallback = 10
    /// Attached to restricted local operator services.
    case restrictedLocalServices = 11

    /// Whether the modem is registered with the network of another operator.
    public var isRoaming: Bool {
        self == .roaming || self == .roamingMessagesOnly || self == .roamingWithoutFallback
    }
}
