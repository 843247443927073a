// SPDX-License-Identifier: MIT

/// The members of a snapshot that SCNetworkReachability compares, though of addresses only the number.
package struct ReachabilityVerdict: Equatable, Sendable {
    /// The flags.
    package let flags: ReachabilityFlags
    /// The index of the interface in use; 0 while the target is not reachable without a connection.
    package let interfaceIndex: UInt32
    /// The addresses of a name; DNS servers rotate their order.
    let addresses: Set<NetworkAddress>
    /// Whether there is no state, for example after the monitor failed; otherwise, no flags mean not reachable.
    let isUnknown: Bool

    /// The status as Apple's classes have it: that of the flags, even while a name is not resolved.
    package var status: NetworkReachabilityStatus { isUnknown ? .unknown : flags.status }
}

extension ReachabilitySnapshot {
    /// The members that SCNetworkReachability compares.
    package var verdict: ReachabilityVerdict {
        let isInUse = flags.contains(.reachable) && !flags.contains(.connectionRequired)
        return ReachabilityVerdict(
            flags: flags, interfaceIndex: isInUse ? interface?.index ?? 0 : 0,
            addresses: Set(addresses), isUnknown: status == .unknown && resolution != .pending)
    }
}
