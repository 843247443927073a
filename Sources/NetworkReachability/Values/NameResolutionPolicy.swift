// SPDX-License-Identifier: MIT

/// The flags of a name until its resolution is final.
///
///     let target = try ReachabilityTarget.domain("www.example.com", policy: .optimistic)
///     let manager = try NetworkReachabilityManager(target: target)
///     manager.addStatusListener { print($0) }
///     try manager.startMonitoring()
public enum NameResolutionPolicy: String, Hashable, Sendable, CaseIterable, Codable {
    /// Those of ``ReachabilityTarget/internet``, as in SCNetworkReachability since OS X 10.11.
    case optimistic
    /// None: the name is not reachable until it is resolved. The default of this module; the modules with
    /// Apple's names use ``optimistic``.
    case strict
}
