// SPDX-License-Identifier: MIT

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
