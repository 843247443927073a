// SPDX-License-Identifier: MIT

/// Why a target has the flags it has.
///
///     let snapshot = try manager.currentSnapshot()
///     switch snapshot.reason {
///     case .reachable: print("online")
///     case .linkDown: print("is the cable plugged in?")
///     case .noSuchName: print("is the name spelled right?")
///     default: print("offline: \(snapshot.reason)")
///     }
///
/// The raw values are the names that `reachctl` prints.
public enum ReachabilityReason: String, Hashable, Sendable, CaseIterable, Codable {
    /// Nothing is wrong: the target is reachable.
    case reachable
    /// No state of the target is known: there is no value yet, or monitoring failed.
    case notEvaluated
    /// There is no route (`ENETUNREACH`).
    case noRoute
    /// There is a route of type unreachable (`EHOSTUNREACH`).
    case unreachable
    /// There is a route or rule of type prohibit (`EACCES`).
    case prohibited
    /// There is a route or rule of type blackhole (`EINVAL`).
    case blackhole
    /// The route's interface is down, has no carrier, or drops all packets (dummy, ifb, monitor mode).
    case linkDown
    /// The interface is dormant: a connection is required.
    case dormant
    /// The host has no source address for the target.
    case noSource
    /// The pair's local address is not a usable address of this host.
    case notLocal
    /// The interface that the target is restricted to does not exist, or a link-local IPv6 address has no scope.
    ///
    /// No socket can send to such an address.
    case noInterface
    /// The name is not resolved yet.
    case resolving
    /// The name exists, but has no address.
    case noAddress
    /// The kernel refused the route lookup; see ``ReachabilitySnapshot/error``.
    case refused
    /// The name does not exist (NXDOMAIN).
    case noSuchName
    /// The name could not be resolved: no server answered, the server failed, or the process lacks resources
    /// (``ReachabilitySnapshot/error``).
    case resolverFailed
    /// No network is available to resolve the name.
    case noNetwork
    /// No usable route, but a registered modem could connect: a connection is required.
    case notConnected
    /// No usable route. A modem exists, but its SIM is locked: the user must unlock it.
    case lockedSIM
    /// The route leaves by an interface of a class that the target excludes; see
    /// ``ReachabilityTarget/with(interfaceClass:)``.
    case otherInterface

    /// A reason that this version has no case for.
    case unknown
}

extension ReachabilityReason {
    /// Whether it tells why a target is not reachable.
    package var isFailure: Bool { self != .reachable && self != .notEvaluated }
}

extension ReachabilityReason: CustomStringConvertible {
    /// The raw value.
    public var description: String { rawValue }
}

/// The rule that decided a verdict.
///
///     if try manager.explanation().rule == .otherInterface {
///         print("there is a route, over a class of interface that the target does not allow")
///     }
///
/// The raw values are the names that `reachctl explain` prints.
public enum ReachabilityRule: String, Hashable, Sendable, CaseIterable, Codable {
    /// No verdict yet.
    case undecided = ""
    /// The kernel answered with an error, or with a route of an error type: no flag.
    case error
    /// The interface that the target is restricted to does not exist, or a link-local address has no scope: no flag.
    case noInterface
    /// An address of this host, but the interface that delivers its packets is down: no flag.
    case localDown
    /// A loopback address: reachable, local address.
    case loopback
    /// Any other address of this host: reachable, local address, direct.
    case local
    /// Interface and source are usable: reachable, and direct if there is no gateway.
    case unicast
    /// Like ``unicast``, over a cellular interface: also WWAN and transient; not direct if point-to-point.
    case cellular
    /// Like ``unicast``, over PPP, a tunnel, a VPN, or another point-to-point link: transient, not direct.
    case pointToPoint
    /// Multicast or broadcast over a usable interface: reachable, direct.
    case multicast
    /// The interface waits for an external event: reachable, connection required.
    case dormant
    /// The interface is down, has no carrier, or drops all packets: no flag.
    case linkDown
    /// The source is missing or not usable: no flag.
    case noSource
    /// There is no usable route, but a modem that isn't connected: connection required.
    case modem
    /// The pair's local address is not an address of this host: no flag.
    case notLocal
    /// The local Wi-Fi target: reachable and direct if a usable interface has an address.
    case localWiFi
    /// The name has no address, or isn't resolved yet: no flag.
    case unresolved
    /// The target does not allow interfaces of this class: no flag.
    case otherInterface

    /// The rule in words.
    var explanation: String {
        switch self {
        case .undecided: "no verdict yet"
        case .error: "the kernel has no route, or one that rejects packets"
        case .noInterface:
            "the target's interface does not exist, or a link-local address names none"
        case .localDown:
            "an address of this host, but the interface that delivers its packets is down"
        case .loopback: "a loopback address of this host"
        case .local: "an address of this host"
        case .unicast: "route, interface and source are usable"
        case .cellular: "route, interface and source are usable; the interface is cellular"
        case .pointToPoint:
            "route, interface and source are usable; the interface is point to point"
        case .multicast: "multicast or broadcast over a usable interface"
        case .dormant: "the interface is dormant: a connection is required"
        case .linkDown: "the interface carries no packets"
        case .noSource: "no usable source address"
        case .modem: "no usable route, but there is a modem that is not connected"
        case .notLocal: "the local address is not an address of this host"
        case .localWiFi: "decided by whether a usable Wi-Fi or wired interface has an address"
        case .unresolved: "the name has no address, or is not resolved"
        case .otherInterface: "the target does not allow interfaces of this class"
        }
    }
}
