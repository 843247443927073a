// SPDX-License-Identifier: MIT

public import NetworkReachability

/// The connectivity of a target at one moment.
///
///     let state = await monitor.check()
///     print(state.level, state.failure?.description ?? "")
public struct ConnectivityState: Hashable, Sendable {
    /// How far packets get.
    public let level: ConnectivityLevel

    /// Whether the path has changed since ``level`` was probed, and a probe of the new path is due.
    ///
    /// On the same interface, the earlier level is kept meanwhile; on another interface it is
    /// ``ConnectivityLevel/unknown``. Regular probes of an unchanged path don't change the state.
    public let isChecking: Bool

    /// The target's reachability; `unknown` before the first value.
    public let snapshot: ReachabilitySnapshot

    /// Why the level isn't ``ConnectivityLevel/full``; nil if ``level`` and ``snapshot`` say it
    /// all.
    public let failure: ConnectivityFailure?

    /// Creates a state.
    public init(
        level: ConnectivityLevel, snapshot: ReachabilitySnapshot = .unknown,
        isChecking: Bool = false, failure: ConnectivityFailure? = nil
    ) {
        self.level = level
        self.isChecking = isChecking
        self.snapshot = snapshot
        self.failure = failure
    }

    /// The state before the first probe.
    public static let unknown = ConnectivityState(level: .unknown)
}

extension ConnectivityState: CustomStringConvertible {
    /// The level, the failure in parentheses, and `checking` if a probe is due.
    public var description: String {
        let text = failure.map { "\(level) (\($0))" } ?? "\(level)"
        return isChecking ? text + ", checking" : text
    }
}

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

/// One completed probe: its result and its time.
///
///     for await probe in monitor.probes {
///         print(probe.level, probe.duration, probe.phases[.tls] ?? .zero)
///     }
public struct ConnectivityProbeReport: Hashable, Sendable {
    /// How far packets got.
    public let level: ConnectivityLevel

    /// Why the level isn't ``ConnectivityLevel/full``; nil if there is nothing to add.
    public let failure: ConnectivityFailure?

    /// The total time of the probe.
    ///
    /// It includes suspension of the host, and waiting for a turn or a thread.
    public let duration: Duration

    /// The time of each completed phase: for HTTP the phases of its URL, for TCP
    /// ``ConnectivityFailure/Phase/connect``, else none.
    public let phases: [ConnectivityFailure.Phase: Duration]

    /// Creates a report, for tests of code that receives them.
    public init(
        level: ConnectivityLevel, failure: ConnectivityFailure? = nil, duration: Duration = .zero,
        phases: [ConnectivityFailure.Phase: Duration] = [:]
    ) {
        self.level = level
        self.failure = failure
        self.duration = duration
        self.phases = phases
    }
}
