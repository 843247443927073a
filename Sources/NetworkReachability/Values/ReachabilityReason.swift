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
