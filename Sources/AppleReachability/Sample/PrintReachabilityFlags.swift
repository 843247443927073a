// SPDX-License-Identifier: MIT

internal import Foundation

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
