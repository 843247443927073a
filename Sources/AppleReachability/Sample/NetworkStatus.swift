// SPDX-License-Identifier: MIT

public import Foundation

/// Whether, and over what kind of network, a target can be reached, with the rule and values of Apple's
/// sample.
///
///     let reachability = Reachability(hostName: "www.example.com")
///     switch reachability?.currentReachabilityStatus() {
///     case .ReachableViaWiFi: print("online")
///     case .ReachableViaWWAN: print("online, over a modem")
///     case .NotReachable, nil: print("offline")
///     }
///
/// Here, Wi-Fi is 1 and cellular is 2. In ``AFNetworkReachabilityStatus``, it is the other way round.
public enum NetworkStatus: Int, Hashable, Sendable, CaseIterable {
    // The names are the sample's.
    // swift-format-ignore: AlwaysUseLowerCamelCase
    /// No packet can be sent to the target, or only after the user has established a connection.
    case NotReachable = 0

    // swift-format-ignore: AlwaysUseLowerCamelCase
    /// A packet can be sent to the target over Wi-Fi or any other interface that is not cellular.
    case ReachableViaWiFi = 1

    // swift-format-ignore: AlwaysUseLowerCamelCase
    /// The target is reached over a cellular interface, even if a connection is required first.
    case ReachableViaWWAN = 2

    /// The status for `flags` by the sample's rule.
    ///
    /// - Parameter flags: The flags; bits without a name are ignored.
    public init(flags: ReachabilityFlags) {
        // Later conditions of networkStatusForFlags override earlier ones. Cellular is the last, and
        // requires only `reachable`.
        let isAutomatic = !flags.isDisjoint(with: [.connectionOnDemand, .connectionOnTraffic])
        let needsUser = flags.contains(.interventionRequired) || !isAutomatic
        if !flags.contains(.reachable) {
            self = .NotReachable
        } else if flags.contains(.isWWAN) {
            self = .ReachableViaWWAN
        } else {
            let isBlocked = flags.contains(.connectionRequired) && needsUser
            self = isBlocked ? .NotReachable : .ReachableViaWiFi
        }
    }

    /// The status for the flags of the local Wi-Fi target: Wi-Fi if it is reachable directly, else not
    /// reachable.
    ///
    /// - Parameter flags: The flags; bits without a name are ignored.
    public init(localWiFiFlags flags: ReachabilityFlags) {
        self = flags.contains([.reachable, .isDirect]) ? .ReachableViaWiFi : .NotReachable
    }
}

// The sample is Objective-C, where the values are global constants.

// swift-format-ignore: AlwaysUseLowerCamelCase
/// ``NetworkStatus/NotReachable`` as a global constant of the sample.
public let NotReachable = NetworkStatus.NotReachable

// swift-format-ignore: AlwaysUseLowerCamelCase
/// ``NetworkStatus/ReachableViaWiFi`` as a global constant of the sample.
public let ReachableViaWiFi = NetworkStatus.ReachableViaWiFi

// swift-format-ignore: AlwaysUseLowerCamelCase
/// ``NetworkStatus/ReachableViaWWAN`` as a global constant of the sample.
public let ReachableViaWWAN = NetworkStatus.ReachableViaWWAN

/// Posted by a ``Reachability`` whose notifier is started, on the run loop or main queue that
/// ``Reachability/startNotifier()`` describes.
///
/// `object` is the ``Reachability``; there is no `userInfo`.
public let kReachabilityChangedNotification = NSNotification.Name(
    "kNetworkReachabilityChangedNotification")

extension NSNotification.Name {
    /// The same as ``kReachabilityChangedNotification``, with the name of Reachability.swift.
    public static let reachabilityChanged = kReachabilityChangedNotification
}

// The name is the sample's.
// swift-format-ignore: AlwaysUseLowerCamelCase
/// Logs flags in the form of Apple's sample: `Reachability Flag Status: -R ------d comment`.
///
///     if let reachability = Reachability.forInternetConnection() {
///         PrintReachabilityFlags(reachability.reachabilityFlags(), "at start")
///     }
///
/// - Parameters:
///   - flags: The flags, logged as nine letters in the order `WR tcCiDld`, with `-` for a clear bit.
///   - comment: The text that follows the flags.
public func PrintReachabilityFlags(_ flags: ReachabilityFlags, _ comment: String) {
    NSLog("%@", reachabilityFlagsLine(flags, comment))
}

func reachabilityFlagsLine(_ flags: ReachabilityFlags, _ comment: String) -> String {
    "Reachability Flag Status: \(flags.letters) \(comment)\n"
}
