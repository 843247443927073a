// SPDX-License-Identifier: MIT

/// Whether and how a target can be reached; the bits of SCNetworkReachability.h.
///
/// No flag means not reachable.
public struct SCNetworkReachabilityFlags: OptionSet, Hashable, Sendable {
    /// The bits as the C interface has them.
    public let rawValue: UInt32

    /// Flags of the bits as the C interface has them.
    public init(rawValue: UInt32) {
        self.rawValue = rawValue
    }

    /// The path is transient: a modem, PPP, a tunnel or a VPN.
    public static let transientConnection = SCNetworkReachabilityFlags(rawValue: 1 << 0)

    /// A packet could leave for the target.
    public static let reachable = SCNetworkReachabilityFlags(rawValue: 1 << 1)

    /// A connection must be brought up first.
    public static let connectionRequired = SCNetworkReachabilityFlags(rawValue: 1 << 2)

    /// Traffic to the target brings that connection up.
    public static let connectionOnTraffic = SCNetworkReachabilityFlags(rawValue: 1 << 3)

    /// A person must act before the connection can come up.
    public static let interventionRequired = SCNetworkReachabilityFlags(rawValue: 1 << 4)

    /// The connection comes up on demand of a programming interface.
    public static let connectionOnDemand = SCNetworkReachabilityFlags(rawValue: 1 << 5)

    /// The target is an address of this host.
    public static let isLocalAddress = SCNetworkReachabilityFlags(rawValue: 1 << 16)

    /// No gateway is between this host and the target.
    public static let isDirect = SCNetworkReachabilityFlags(rawValue: 1 << 17)

    /// The path leaves over a cellular interface.
    public static let isWWAN = SCNetworkReachabilityFlags(rawValue: 1 << 18)

    /// The older name of ``connectionOnTraffic``.
    public static let connectionAutomatic = connectionOnTraffic
}
