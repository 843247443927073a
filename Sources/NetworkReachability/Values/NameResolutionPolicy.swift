// SPDX-License-Identifier: MIT

/// The flags that a name has until its resolution is final.
///
///     let target = try ReachabilityTarget.domain("www.example.com", policy: .optimistic)
///     let manager = try NetworkReachabilityManager(target: target)
///     manager.addStatusListener { print($0) }
///     try manager.startMonitoring()
public enum NameResolutionPolicy: String, Hashable, Sendable, CaseIterable, Codable {
    /// The name has the flags of ``ReachabilityTarget/internet``, as in SCNetworkReachability since OS X 10.11.
    case optimistic
    /// The name has no flags, and its status is ``NetworkReachabilityStatus/unknown``, until it is resolved.
    ///
    /// The default of this module. The modules with Apple's names use ``optimistic``.
    case strict
}
