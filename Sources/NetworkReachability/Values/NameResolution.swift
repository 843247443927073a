// SPDX-License-Identifier: MIT

/// The state of a name's resolution.
///
///     let snapshot = try NetworkReachabilityManager(domain: "www.example.com").currentSnapshot()
///     if snapshot.resolution == .pending { print("no answer from a name server yet") }
public enum NameResolution: String, Hashable, Sendable, Codable {
    /// The target is not a name.
    case notAName
    /// No answer has been received yet; the flags follow the target's ``NameResolutionPolicy``.
    case pending
    /// The latest resolution has ended, with addresses or with a ``ReachabilityReason``.
    ///
    /// The name is resolved again when the network or the resolver's configuration changes. Without
    /// addresses, it is also resolved again after 1 second, doubled up to 5 minutes.
    case done
    /// The latest resolution failed, and the addresses are those of the last one that succeeded.
    ///
    /// On a host with a network, the name is not reachable (``ReachabilityReason/resolverFailed``).
    case outdated
}

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
