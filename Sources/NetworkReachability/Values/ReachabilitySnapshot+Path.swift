// SPDX-License-Identifier: MIT

extension ReachabilitySnapshot {
    /// Whether traffic is likely to be charged by volume, as `isExpensive` of NWPath: the target is reached
    /// over a modem, or over an interface that stands on one (VLAN, bridge, bond, macvlan).
    ///
    /// The kernel does not report what a VPN or a PPP connection runs over, nor a phone's hotspot.
    public var isExpensive: Bool {
        flags.contains(.isWWAN) || interface?.interfaceClass == .cellular
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
        return changes
    }
}
