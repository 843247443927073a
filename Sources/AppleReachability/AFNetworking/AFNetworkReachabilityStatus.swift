// SPDX-License-Identifier: MIT

/// Whether, and over what kind of network, a target can be reached: `unknown` (-1), `notReachable` (0),
/// `reachableViaWWAN` (1) or `reachableViaWiFi` (2).
///
///     AFNetworkReachabilityManager.shared().setReachabilityStatusChange { status in
///         if status == .notReachable { print("offline") }
///     }
public typealias AFNetworkReachabilityStatus = NetworkReachabilityStatus

// The name is AFNetworking's.
// swift-format-ignore: AlwaysUseLowerCamelCase
/// Returns the localized text of a status, in one of the user's languages.
///
///     print(AFStringFromNetworkReachabilityStatus(.reachableViaWiFi))  // Reachable via WiFi
///
/// The keys are `Not Reachable`, `Reachable via WWAN`, `Reachable via WiFi`, and `Unknown` of the table
/// "AFNetworking". If the application has that table, its texts are used. Otherwise, this library provides them
/// in twelve languages. See <doc:Localization>.
///
/// - Parameter status: The status.
/// - Returns: The text; never empty unless the application's table says so.
public func AFStringFromNetworkReachabilityStatus(_ status: AFNetworkReachabilityStatus) -> String {
    StatusStrings.text(of: status)
}
