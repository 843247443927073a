// SPDX-License-Identifier: MIT

/// How far packets get, as NetworkManager has found, with the values of `NMConnectivityState`.
///
///     if NetworkManager.shared.currentState(timeout: .seconds(1)).connectivity == .portal { print("log in to the network") }
///
/// Where NetworkManager does not check (``NetworkManagerState/checksConnectivity``), a network with a
/// default route is ``full``.
public enum NetworkManagerConnectivity: UInt32, Hashable, Sendable, CaseIterable {
    /// Not known, or not checked yet.
    case unknown = 0
    /// No network.
    case none = 1
    /// A captive portal answers in place of the internet.
    case portal = 2
    /// A network, and no internet behind it.
    case limited = 3
    /// The internet.
    case full = 4
}
