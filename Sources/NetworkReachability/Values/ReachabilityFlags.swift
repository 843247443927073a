// SPDX-License-Identifier: MIT

/// The reachability of a target, as a set of bits.
///
///     let flags = manager.flags
///     if flags.contains(.reachable), !flags.contains(.connectionRequired) {
///         print(flags)  // Reachable,Directly Reachable Address
///     }
///
/// Names and values are those of `SCNetworkReachabilityFlags`.
public struct ReachabilityFlags: OptionSet, Hashable, Sendable, Codable {
    /// The bits of `SCNetworkReachabilityFlags`.
    ///
    /// Bits without a name are kept.
    public let rawValue: UInt32

    /// Creates flags from their bits.
    public init(rawValue: UInt32) {
        self.rawValue = rawValue
    }

    /// The target is reached over a transient connection: a modem, PPP, a tunnel, or a VPN.
    public static let transientConnection = ReachabilityFlags(rawValue: 1 << 0)

    /// A packet can be sent to the target, possibly after a connection is established.
    public static let reachable = ReachabilityFlags(rawValue: 1 << 1)

    /// A connection must be established first.
    public static let connectionRequired = ReachabilityFlags(rawValue: 1 << 2)

    /// Traffic to the target establishes that connection.
    public static let connectionOnTraffic = ReachabilityFlags(rawValue: 1 << 3)

    /// The user must act first, for example unlock a SIM.
    public static let interventionRequired = ReachabilityFlags(rawValue: 1 << 4)

    /// The connection is established on demand by the CFSocketStream interface; never set on Linux.
    public static let connectionOnDemand = ReachabilityFlags(rawValue: 1 << 5)

    /// The target is an address of this host.
    public static let isLocalAddress = ReachabilityFlags(rawValue: 1 << 16)

    /// The target is reached without a gateway.
    public static let isDirect = ReachabilityFlags(rawValue: 1 << 17)

    /// The target is reached over a cellular interface.
    public static let isWWAN = ReachabilityFlags(rawValue: 1 << 18)

    /// Another name for ``connectionOnTraffic``, from `SCNetworkReachability.h`.
    public static let connectionAutomatic = connectionOnTraffic

    /// The status for the flags; see ``NetworkReachabilityStatus/init(flags:)``.
    public var status: NetworkReachabilityStatus {
        NetworkReachabilityStatus(flags: self)
    }
}

extension ReachabilityFlags: CustomStringConvertible {
    /// The words that `scutil -r` prints, such as `Reachable,Transient Connection`; `Not Reachable` if no
    /// flag is set.
    ///
    /// Bits without a name follow as one hexadecimal number.
    public var description: String { words }
}

/// Whether, and over what kind of network, a target can be reached.
///
///     switch manager.networkReachabilityStatus {
///     case .unknown: print("not known yet")
///     case .notReachable: print("offline")
///     case .reachableViaWWAN: print("online, over a modem")
///     case .reachableViaWiFi: print("online")
///     }
///
/// The cases and values are those of `AFNetworkReachabilityStatus`. Every interface that is not cellular
/// counts as Wi-Fi, including Ethernet and loopback; ``ReachabilitySnapshot/interface`` has the class.
public enum NetworkReachabilityStatus: Int, Hashable, Sendable, CaseIterable, Codable {
    /// Not known: no state has been reported yet, a name is not resolved yet, or monitoring failed.
    case unknown = -1

    /// No packet can be sent to the target, or only after the user has established a connection.
    case notReachable = 0

    /// A packet can be sent to the target over a cellular interface.
    case reachableViaWWAN = 1

    /// A packet can be sent to the target over Wi-Fi or any other interface that is not cellular.
    case reachableViaWiFi = 2

    /// Whether the status is ``reachableViaWWAN`` or ``reachableViaWiFi``.
    public var isReachable: Bool {
        self == .reachableViaWWAN || self == .reachableViaWiFi
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
