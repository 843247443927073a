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
    /// No probe of this interface was answered yet, or none could be made; ``ConnectivityState/failure`` has
    /// the reason if there is one.
    case unknown
    /// The target is not reachable, and no interface but loopback is usable.
    case none
    /// The target is not reachable, and an interface other than loopback is usable and has an address,
    /// link-local ones of IPv6 not counted.
    case local
    /// Something on the way answered in place of the server: a captive portal (RFC 8910, RFC 8908).
    ///
    /// The answer was a redirect to `url`, or another status or body than expected, with 2xx, 3xx or 511
    /// (Network Authentication Required, RFC 6585), and then `url` is nil. The URL has the scheme http or
    /// https; a redirect to another one has nil. All else in it is what the network sent: untrusted text.
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

extension ConnectivityLevel {
    /// The level without a URL that isn't a web page: the network chooses it, and whoever opens it would
    /// start a program of the network's choice.
    var withWebPageOnly: ConnectivityLevel {
        guard case .portal(let url?) = self else { return self }
        let parts = url.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        let isWeb = ["http", "https"].contains(parts[0].lowercased())
        let hasHost = parts.count == 2 && parts[1].hasPrefix("//") && parts[1].count > 2
        return isWeb && hasHost ? self : .portal(url: nil)
    }
}
