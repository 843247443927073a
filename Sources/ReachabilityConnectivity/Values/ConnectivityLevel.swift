// SPDX-License-Identifier: MIT

/// How far packets get.
///
///     switch monitor.state.level {
///     case .full: print("online")
///     case .portal(let url): print("log in at \(url ?? "the network's page")")
///     case .limited: print("connected, without internet")
///     case .local, .none: print("offline")
///     case .unknown: print("not known yet")
///     }
///
/// | level | NetworkManager (`NMConnectivityState`) | GLib (`GNetworkConnectivity`) | Android |
/// |---|---|---|---|
/// | ``unknown`` | `UNKNOWN` | (none) | no network, or `NET_CAPABILITY_VALIDATED` not decided |
/// | ``none`` | `NONE` | `LOCAL` | no network |
/// | ``local`` | `NONE`, or `LIMITED` | `LOCAL` | no network with `NET_CAPABILITY_INTERNET` |
/// | ``portal(url:)`` | `PORTAL` | `PORTAL` | `NET_CAPABILITY_CAPTIVE_PORTAL` |
/// | ``limited`` | `LIMITED` | `LIMITED` | `NET_CAPABILITY_INTERNET` without `NET_CAPABILITY_VALIDATED` |
/// | ``full`` | `FULL` | `FULL` | `NET_CAPABILITY_VALIDATED` |
public enum ConnectivityLevel: Hashable, Sendable {
    /// The probe was not answered yet on this path, or could not be made; ``ConnectivityState/failure``
    /// has the reason if there is one.
    case unknown
    /// The target is not reachable, and no interface but loopback is usable.
    case none
    /// The target is not reachable, and an interface other than loopback is usable and has an address,
    /// link-local ones of IPv6 not counted.
    case local
    /// Something on the way answered in place of the server: a captive portal (RFC 8910, RFC 8908).
    ///
    /// The answer was a redirect, to `url`; or another status or body than expected, with 2xx, 3xx or 511
    /// (Network Authentication Required, RFC 6585), and then `url` is nil. The URL is what the network
    /// sent: untrusted text.
    case portal(url: String?)
    /// Reachable by the routing table, and the probe failed.
    case limited
    /// The probe had the answer that was expected.
    case full
}

extension ConnectivityLevel: CustomStringConvertible {
    /// `unknown`, `none`, `local`, `portal`, `limited` or `full`; `portal` is followed by its URL.
    public var description: String {
        switch self {
        case .unknown: "unknown"
        case .none: "none"
        case .local: "local"
        case .portal(let url): url.map { "portal \($0)" } ?? "portal"
        case .limited: "limited"
        case .full: "full"
        }
    }
}
