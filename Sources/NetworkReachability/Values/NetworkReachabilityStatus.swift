// SPDX-License-Identifier: MIT

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
