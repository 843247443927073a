// SPDX-License-Identifier: MIT

extension ReachabilitySnapshot {
    /// Whether traffic is likely to be charged by volume, like `isExpensive` of NWPath.
    ///
    /// The value of ``isMetered`` if known. Otherwise, true if the target is reached over a modem, or over an interface
    /// on top of one (VLAN, bridge, bond, macvlan), which has the modem's class. A tunnel (VPN, PPP) over a modem
    /// isn't expensive, since the kernel routes each of its packets separately. To the kernel, a phone's hotspot looks
    /// like any other Wi-Fi.
    public var isExpensive: Bool {
        isMetered ?? (flags.contains(.isWWAN) || interface?.interfaceClass == .cellular)
    }

    /// Returns the properties whose values differ from an earlier snapshot's; empty if the snapshots are equal.
    ///
    ///     if !snapshot.changes(from: previous).isDisjoint(with: [\.interface, \.source]) { reconnect() }
    public func changes(
        from previous: ReachabilitySnapshot
    ) -> Set<PartialKeyPath<ReachabilitySnapshot>> {
        var changes: Set<PartialKeyPath<ReachabilitySnapshot>> = []
        func compare(_ property: KeyPath<ReachabilitySnapshot, some Equatable>) {
            if self[keyPath: property] != previous[keyPath: property] { changes.insert(property) }
        }
        compare(\.flags)
        compare(\.status)
        compare(\.interface)
        compare(\.source)
        compare(\.gateway)
        compare(\.nextHopCount)
        compare(\.usableNextHopCount)
        compare(\.addresses)
        compare(\.reason)
        compare(\.resolution)
        compare(\.error)
        compare(\.isMetered)
        return changes
    }
}
