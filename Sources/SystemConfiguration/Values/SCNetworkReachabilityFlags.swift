// SPDX-License-Identifier: MIT

/// The reachability of a target; the bits of SCNetworkReachability.h.
///
///     var flags = SCNetworkReachabilityFlags()
///     if SCNetworkReachabilityGetFlags(target, &flags), flags.contains(.reachable) {
///         print(flags.contains(.isWWAN) ? "over a modem" : "online")
///     }
///
/// The empty set is "not reachable".
public struct SCNetworkReachabilityFlags: OptionSet, Hashable, Sendable {
    /// The bits of the C interface.
    public let rawValue: UInt32

    /// Creates flags from the bits of the C interface.
    public init(rawValue: UInt32) {
        self.rawValue = rawValue
    }

    /// The target is reached over a transient connection: a modem, PPP, a tunnel, or a VPN.
    public static let transientConnection = SCNetworkReachabilityFlags(rawValue: 1 << 0)

    /// A packet can be sent to the target, possibly after a connection is established.
    public static let reachable = SCNetworkReachabilityFlags(rawValue: 1 << 1)

    /// A connection must be established first.
    public static let connectionRequired = SCNetworkReachabilityFlags(rawValue: 1 << 2)

    /// Traffic to the target establishes that connection.
    public static let connectionOnTraffic = SCNetworkReachabilityFlags(rawValue: 1 << 3)

    /// The user must act before the connection can be established.
    public static let interventionRequired = SCNetworkReachabilityFlags(rawValue: 1 << 4)

    /// The connection is established on demand by the CFSocketStream interface; never set on Linux.
    public static let connectionOnDemand = SCNetworkReachabilityFlags(rawValue: 1 << 5)

    /// The target is an address of this host.
    public static let isLocalAddress = SCNetworkReachabilityFlags(rawValue: 1 << 16)

    /// The target is reached without a gateway.
    public static let isDirect = SCNetworkReachabilityFlags(rawValue: 1 << 17)

    /// The target is reached over a cellular interface.
    public static let isWWAN = SCNetworkReachabilityFlags(rawValue: 1 << 18)

    /// The older name of ``connectionOnTraffic``.
    public static let connectionAutomatic = connectionOnTraffic
}

/// The flags of SCNetwork.h; ``SCNetworkReachabilityFlags`` replaces them.
///
///     func isReachable(_ flags: SCNetworkConnectionFlags) -> Bool {
///         flags & UInt32(kSCNetworkFlagsReachable) != 0
///     }
public typealias SCNetworkConnectionFlags = UInt32

/// The older name of ``SCNetworkReachabilityFlags/transientConnection``.
public let kSCNetworkFlagsTransientConnection = 1 << 0
/// The older name of ``SCNetworkReachabilityFlags/reachable``.
public let kSCNetworkFlagsReachable = 1 << 1
/// The older name of ``SCNetworkReachabilityFlags/connectionRequired``.
public let kSCNetworkFlagsConnectionRequired = 1 << 2
/// The older name of ``SCNetworkReachabilityFlags/connectionOnTraffic``.
public let kSCNetworkFlagsConnectionAutomatic = 1 << 3
/// The older name of ``SCNetworkReachabilityFlags/interventionRequired``.
public let kSCNetworkFlagsInterventionRequired = 1 << 4
/// The older name of ``SCNetworkReachabilityFlags/isLocalAddress``.
public let kSCNetworkFlagsIsLocalAddress = 1 << 16
/// The older name of ``SCNetworkReachabilityFlags/isDirect``.
public let kSCNetworkFlagsIsDirect = 1 << 17
