// SPDX-License-Identifier: MIT

/// The state of a name's resolution.
///
///     let snapshot = try NetworkReachabilityManager(domain: "www.example.com").currentSnapshot()
///     if snapshot.resolution == .pending { print("no answer from a name server yet") }
public enum NameResolution: String, Hashable, Sendable, Codable {
    /// The target is not a name.
    case none
    /// No answer has been received yet; the flags follow the target's ``NameResolutionPolicy``.
    case pending
    /// The answer is final until the network or the resolver's configuration changes.
    case done
}
