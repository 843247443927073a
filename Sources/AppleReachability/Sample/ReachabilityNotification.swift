// SPDX-License-Identifier: MIT

public import Foundation

/// Posted by a ``Reachability`` that notifies, on the thread of the run loop it was started on.
///
/// `object` is the ``Reachability``; there is no `userInfo`.
public let kReachabilityChangedNotification = NSNotification.Name(
    "kNetworkReachabilityChangedNotification")

extension NSNotification.Name {
    /// The same as ``kReachabilityChangedNotification``, as Swift names the sample's constant.
    public static let reachabilityChanged = kReachabilityChangedNotification
}
