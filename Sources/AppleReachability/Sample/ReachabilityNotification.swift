// SPDX-License-Identifier: MIT

public import Foundation

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
