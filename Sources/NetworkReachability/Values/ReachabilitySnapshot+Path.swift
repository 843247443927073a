// SPDX-License-Identifier: MIT

extension ReachabilitySnapshot {
    /// Whether traffic is likely to be charged by volume, as `isExpensive` of NWPath.
    ///
    /// ``isMetered``, where something tells it. Otherwise true if the target is reached over a modem, or over an interface that stands on one (VLAN, bridge,
    /// bond, macvlan): such an interface has the class of what is below it. What a tunnel (VPN, PPP) sends
    /// its own packets over does not count, as the kernel chooses that anew for each packet, and to the
    /// kernel a phone's hotspot looks like any other Wi-Fi.
    public var isExpensive: Bool {
        isMetered ?? (flags.contains(.isWWAN) || interface?.interfaceClass == .cellular)
    }

    /// A property of a snapshot.
    public enum Property: String, Hashable, Sendable, CaseIterable {
        /// ``ReachabilitySnapshot/flags``.
        case flags
        /// ``ReachabilitySnapshot/status``.
        case status
        /// ``ReachabilitySnapshot/interface``.
        case interface
        /// ``ReachabilitySnapshot/source``.
        case source
        /// ``ReachabilitySnapshot/gateway``.
        case gateway
        /// ``ReachabilitySnapshot/addresses``.
        case addresses
        /// ``ReachabilitySnapshot/reason``.
        case reason
        /// ``ReachabilitySnapshot/resolution``.
        case resolution
        /// ``ReachabilitySnapshot/error``.
        case error
        /// ``ReachabilitySnapshot/isMetered``.
        case isMetered
    }

    /// The properties in which the snapshot differs from an earlier one; none if they are equal.
    ///
    ///     if !snapshot.changes(from: previous).isDisjoint(with: [.interface, .source]) { reconnect() }
    public func changes(from previous: ReachabilitySnapshot) -> Set<Property> {
        var changes: Set<Property> = []
        if flags != previous.flags { changes.insert(.flags) }
        if status != previous.status { changes.insert(.status) }
        if interface != previous.interface { changes.insert(.interface) }
        if source != previous.source { changes.insert(.source) }
        if gateway != previous.gateway { changes.insert(.gateway) }
        if addresses != previous.addresses { changes.insert(.addresses) }
        if reason != previous.reason { changes.insert(.reason) }
        if resolution != previous.resolution { changes.insert(.resolution) }
        if error != previous.error { changes.insert(.error) }
        if isMetered != previous.isMetered { changes.insert(.isMetered) }
        return changes
    }
}
