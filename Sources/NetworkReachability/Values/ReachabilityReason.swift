// SPDX-License-Identifier: MIT

@_implementationOnly import CReach

/// Why a target has the flags it has.
///
/// The raw values are the names that `reachctl` prints.
public enum ReachabilityReason: String, Hashable, Sendable, CaseIterable, Codable {
    /// Reachable, or not evaluated yet.
    case none = ""
    /// There is no route (`ENETUNREACH`).
    case noRoute
    /// A route of type unreachable (`EHOSTUNREACH`).
    case unreachable
    /// A route or rule of type prohibit (`EACCES`).
    case prohibited
    /// A route or rule of type blackhole (`EINVAL`).
    case blackhole
    /// The route's interface is down or has no carrier.
    case linkDown
    /// The interface is dormant: a connection is required.
    case dormant
    /// The host has no source address for the target.
    case noSource
    /// The pair's local address is not a usable address of this host.
    case notLocal
    /// The interface that the target is restricted to does not exist.
    case noInterface
    /// The name is not resolved yet.
    case resolving
    /// The name exists and has no address.
    case noAddress
    /// The kernel refused the route lookup; see ``ReachabilitySnapshot/error``.
    case refused
    /// The name does not exist (NXDOMAIN).
    case noSuchName
    /// The name could not be resolved: no server answered, or the server failed.
    case resolverFailed
    /// No network is available to resolve the name.
    case noNetwork

    init(rawReason: UInt32) {
        switch reach_reason(rawValue: rawReason) {
        case .REACH_REASON_NONE: self = .none
        case .REACH_REASON_NO_ROUTE: self = .noRoute
        case .REACH_REASON_UNREACHABLE: self = .unreachable
        case .REACH_REASON_PROHIBITED: self = .prohibited
        case .REACH_REASON_BLACKHOLE: self = .blackhole
        case .REACH_REASON_LINK_DOWN: self = .linkDown
        case .REACH_REASON_DORMANT: self = .dormant
        case .REACH_REASON_NO_SOURCE: self = .noSource
        case .REACH_REASON_NOT_LOCAL: self = .notLocal
        case .REACH_REASON_NO_INTERFACE: self = .noInterface
        case .REACH_REASON_RESOLVING: self = .resolving
        case .REACH_REASON_NO_ADDRESS: self = .noAddress
        case .REACH_REASON_NO_SUCH_NAME: self = .noSuchName
        case .REACH_REASON_RESOLVER_FAILED: self = .resolverFailed
        case .REACH_REASON_NO_NETWORK: self = .noNetwork
        default: self = .refused
        }
    }
}

extension ReachabilityReason: CustomStringConvertible {
    /// The raw value.
    public var description: String { rawValue }
}
