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
