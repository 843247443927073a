// SPDX-License-Identifier: MIT

public import Foundation

extension NSNotification.Name {
    // The name is the one Swift gives AFNetworking's constant.
    // swift-format-ignore: AlwaysUseLowerCamelCase
    /// Posted on the main queue after ``AFNetworkReachabilityManager/networkReachabilityStatus`` was
    /// assigned and the block was called.
    ///
    /// `object` is the manager; `userInfo` has the status as an `NSNumber` under
    /// ``AFNetworkingReachabilityNotificationStatusItem``.
    public static let AFNetworkingReachabilityDidChange = NSNotification.Name(
        "com.alamofire.networking.reachability.change")
}

// The name is AFNetworking's.
// swift-format-ignore: AlwaysUseLowerCamelCase
/// The key of the status, an `NSNumber` with a raw value of ``AFNetworkReachabilityStatus``, in the `userInfo`
/// of `NSNotification.Name.AFNetworkingReachabilityDidChange`.
public let AFNetworkingReachabilityNotificationStatusItem =
    "AFNetworkingReachabilityNotificationStatusItem"
