// SPDX-License-Identifier: MIT

/// How far packets get.
///
///     switch monitor.state.level {
///     case .full: print("online")
///     case .portal(let url): print("log in at \(url ?? "the network's page")")
///     case .limited: print("connected, without internet")
///     case .local, .noNetwork: print("offline")
///     case .unknown: print("not known yet")
///     }
///
/// | level | NetworkManager (`NMConnectivityState`) | GLib (`GNetworkConnectivity`) | Android |
/// |---|---|---|---|
/// | ``unknown`` | `UNKNOWN` | (none) | no network, or `NET_CAPABILITY_VALIDATED` not decided |
/// | ``noNetwork`` | `NONE` | `LOCAL` | no network |
/// | ``local`` | `NONE`, or `LIMITED` | `LOCAL` | no network with `NET_CAPABILITY_INTERNET` |
/// | ``portal(url:)`` | `PORTAL` | `PORTAL` | `NET_CAPABILITY_CAPTIVE_PORTAL` |
/// | ``limited`` | `LIMITED` | `LIMITED` | `NET_CAPABILITY_INTERNET` without `NET_CAPABILITY_VALIDATED` |
/// | ``full`` | `FULL` | `FULL` | `NET_CAPABILITY_VALIDATED` |
public enum ConnectivityLevel: Hashable, Sendable {
    /// No probe over this interface has a result yet, or none could be sent; see
    /// ``ConnectivityState/failure``.
    case unknown
    /// The target has no route, and only loopback is usable.
    case noNetwork
    /// The target has no route, but an interface other than loopback is usable and has an address
    /// beyond IPv6 link-local ones.
    case local
    /// Something else answered instead of the server: a captive portal (RFC 8910, RFC 8908).
    ///
    /// `url` is the target of a redirect, if its scheme is http or https. It is nil for every other
    /// unexpected answer with the status 2xx, 3xx, or 511 (Network Authentication Required, RFC 6585).
    /// All of the URL after its scheme is untrusted text from the network.
    case portal(url: String?)
    /// The target has a route, but the probe failed.
    case limited
    /// The probe got the expected answer.
    case full
}

extension ConnectivityLevel: CustomStringConvertible {
    /// `unknown`, `noNetwork`, `local`, `portal`, `limited`, or `full`; the URL follows `portal`.
    public var description: String {
        switch self {
        case .unknown: "unknown"
        case .noNetwork: "noNetwork"
        case .local: "local"
        case .portal(let url): url.map { "portal \($0)" } ?? "portal"
        case .limited: "limited"
        case .full: "full"
        }
    }
}

extension ConnectivityLevel {
    /// Drops a URL that isn't a web page: the network chooses it, and opening it could start a
    /// program of the network's choice.
    var withWebPageOnly: ConnectivityLevel {
        guard case .portal(let url?) = self else { return self }
        let parts = url.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        let isWeb = ["http", "https"].contains(parts[0].lowercased())
        let hasHost = parts.count == 2 && parts[1].hasPrefix("//") && parts[1].count > 2
        return isWeb && hasHost ? self : .portal(url: nil)
    }
}
