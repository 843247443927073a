// SPDX-License-Identifier: MIT

@_implementationOnly import CReach

/// Whether, and over what kind of network, a target can be reached.
///
/// The cases and values are those of `AFNetworkReachabilityStatus`. Everything that is not cellular
/// counts as Wi-Fi, cables and loopback too; ``ReachabilitySnapshot/interface`` tells them apart.
public enum NetworkReachabilityStatus: Int, Hashable, Sendable, CaseIterable, Codable {
    /// Not known yet: nothing was evaluated since monitoring started.
    case unknown = -1

    /// No packet can leave for the target, or only after a person brought up a connection.
    case notReachable = 0

    /// A packet can leave for the target over a cellular interface.
    case reachableViaWWAN = 1

    /// A packet can leave for the target over Wi-Fi or anything else that is not cellular.
    case reachableViaWiFi = 2

    /// The status that `flags` stand for, by the rule of AFNetworkReachabilityManager: reachable,
    /// and either no connection is required or it comes up without a person.
    ///
    /// Never ``unknown``.
    public init(flags: ReachabilityFlags) {
        self = NetworkReachabilityStatus(reach_status_from_flags(flags.rawValue))
    }

    /// Whether the status is one of the two reachable ones.
    public var isReachable: Bool {
        self == .reachableViaWWAN || self == .reachableViaWiFi
    }

    init(_ status: reach_status) {
        self = NetworkReachabilityStatus(rawValue: Int(status.rawValue)) ?? .unknown
    }
}

extension NetworkReachabilityStatus: CustomStringConvertible {
    /// The name of the case, for example `reachableViaWiFi`.
    public var description: String {
        switch self {
        case .unknown: "unknown"
        case .notReachable: "notReachable"
        case .reachableViaWWAN: "reachableViaWWAN"
        case .reachableViaWiFi: "reachableViaWiFi"
        }
    }
}
