// SPDX-License-Identifier: MIT

/// How far packets get according to NetworkManager, with the values of `NMConnectivityState`.
///
///     let state = NetworkManager.shared.currentState(timeout: .seconds(1))
///     if state.connectivity == .portal { print("log in to the network") }
///
/// If NetworkManager doesn't check (``NetworkManagerState/checksConnectivity``), it reports ``full`` for a
/// network with a default route.
public enum NetworkManagerConnectivity: UInt32, Hashable, Sendable, CaseIterable {
    /// Not known, or not checked yet.
    case unknown = 0
    /// No network.
    case noNetwork = 1
    /// A captive portal.
    case portal = 2
    /// A network without internet access.
    case limited = 3
    /// Internet access.
    case full = 4
}
