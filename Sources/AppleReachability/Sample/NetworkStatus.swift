// SPDX-License-Identifier: MIT

@_implementationOnly import CReach

/// Whether, and over what kind of network, a target can be reached, by the rule and with the values of
/// Apple's sample.
///
/// Mind that Wi-Fi is 1 and cellular is 2 here, which ``AFNetworkReachabilityStatus`` has the other way
/// round.
public enum NetworkStatus: Int, Hashable, Sendable, CaseIterable {
    // The names are the sample's.
    // swift-format-ignore: AlwaysUseLowerCamelCase
    /// No packet can leave for the target, or only after a person brought up a connection.
    case NotReachable = 0

    // swift-format-ignore: AlwaysUseLowerCamelCase
    /// A packet can leave for the target over Wi-Fi or anything else that is not cellular.
    case ReachableViaWiFi = 1

    // swift-format-ignore: AlwaysUseLowerCamelCase
    /// The target is reached over a cellular interface, be it that a connection is required first.
    case ReachableViaWWAN = 2

    /// The status that `flags` stand for, by the sample's rule.
    ///
    /// - Parameter flags: The flags; unknown bits mean nothing.
    public init(flags: ReachabilityFlags) {
        self.init(reach_network_status_from_flags(flags.rawValue))
    }

    /// The status that the flags of the local Wi-Fi target stand for: reached directly, or not at all.
    ///
    /// - Parameter flags: The flags; unknown bits mean nothing.
    public init(localWiFiFlags flags: ReachabilityFlags) {
        self.init(reach_local_wifi_status_from_flags(flags.rawValue))
    }

    private init(_ status: reach_network_status) {
        self = NetworkStatus(rawValue: Int(status.rawValue)) ?? .NotReachable
    }
}

// The sample is C: its values have no type before them.

// swift-format-ignore: AlwaysUseLowerCamelCase
/// The same as ``NetworkStatus/NotReachable``, as the sample spells it.
public let NotReachable = NetworkStatus.NotReachable

// swift-format-ignore: AlwaysUseLowerCamelCase
/// The same as ``NetworkStatus/ReachableViaWiFi``, as the sample spells it.
public let ReachableViaWiFi = NetworkStatus.ReachableViaWiFi

// swift-format-ignore: AlwaysUseLowerCamelCase
/// The same as ``NetworkStatus/ReachableViaWWAN``, as the sample spells it.
public let ReachableViaWWAN = NetworkStatus.ReachableViaWWAN
