// SPDX-License-Identifier: MIT

/// The state of a target at one moment.
///
///     let snapshot = try manager.currentSnapshot()
///     if snapshot.status.isReachable, let interface = snapshot.interface {
///         print("over \(interface.name) (\(interface.interfaceClass))")
///     } else {
///         print("not reachable: \(snapshot.reason)")
///     }
public struct ReachabilitySnapshot: Hashable, Sendable {
    /// The interface that packets to the target leave by: what identifies it, and its class.
    ///
    /// A change of its state or of its addresses is no change of the snapshot. ``NetworkInterface`` has both.
    public struct Interface: Hashable, Sendable {
        /// The kernel's index, unique within its network namespace.
        public let index: UInt32
        /// The name, for example `eth0`.
        public let name: String
        /// The class of the interface.
        public let interfaceClass: NetworkInterfaceClass

        /// Creates a description of an interface.
        public init(index: UInt32, name: String, interfaceClass: NetworkInterfaceClass) {
            self.index = index
            self.name = name
            self.interfaceClass = interfaceClass
        }
    }

    /// The flags; empty while ``status`` is unknown.
    public var flags: ReachabilityFlags { values.flags }

    /// The status for ``flags``, or ``NetworkReachabilityStatus/unknown`` before the first value, and of a name
    /// that is not resolved yet and not taken as reachable until then (``NameResolutionPolicy``).
    public var status: NetworkReachabilityStatus { values.status }

    /// The interface that packets to the target leave by, if any.
    ///
    /// For an address of this host, it is the interface that has the address.
    public var interface: Interface? { values.interface }

    /// The source address that the kernel chooses, if it reported one.
    public var source: NetworkAddress? { values.source }

    /// The gateway, if any.
    ///
    /// An IPv4 target may have an IPv6 gateway (RFC 8950).
    public var gateway: NetworkAddress? { values.gateway }

    /// The number of next hops of the route, at most 255; 0 without a route, and for an address of this host.
    ///
    /// With more than one (ECMP), ``interface``, ``source``, and ``gateway`` are those that a TCP connection takes.
    /// Where the kernel hashes ports (`fib_multipath_hash_policy`), no lookup shows which one that is: one usable next
    /// hop makes the target reachable, and the properties are those of a usable one.
    public var nextHopCount: Int { values.nextHopCount }

    /// How many of the next hops leave by a usable interface.
    public var usableNextHopCount: Int { values.usableNextHopCount }

    /// The addresses of a name, in the resolver's order, at most 16; empty for other targets.
    public var addresses: [NetworkAddress] { values.addresses }

    /// Why the target is not reachable, or ``ReachabilityReason/reachable``.
    public var reason: ReachabilityReason { values.reason }

    /// The state of the name's resolution.
    public var resolution: NameResolution { values.resolution }

    /// The error of the route lookup, or the one that ended monitoring; nil for none.
    ///
    /// With ``ReachabilityReason/resolverFailed``, the resource that the resolver lacked, such as descriptors
    /// (``ReachabilityErrno/tooManyOpenFiles``).
    public var error: ReachabilityErrno? { values.error }

    /// Whether traffic over ``interface`` is metered, according to a source outside the kernel; nil if no source
    /// reports it.
    ///
    /// `NetworkManager.informReachability()` of the product `SystemServices` is such a source. It covers the network
    /// namespace of the process. See ``isExpensive``.
    public var isMetered: Bool? { values.isMetered }

    fileprivate struct Values: Hashable, Sendable {
        let flags: ReachabilityFlags
        let status: NetworkReachabilityStatus
        let interface: Interface?
        let source: NetworkAddress?
        let gateway: NetworkAddress?
        let nextHopCount: Int
        let usableNextHopCount: Int
        let addresses: [NetworkAddress]
        let reason: ReachabilityReason
        let resolution: NameResolution
        let error: ReachabilityErrno?
        let isMetered: Bool?
    }

    fileprivate final class Box: Sendable {
        let values: Values

        init(_ values: Values) {
            self.values = values
        }
    }

    /// One reference, since a state is copied a dozen times on its way to a closure.
    fileprivate let box: Box

    private var values: Values { box.values }

    /// Whether all properties are equal.
    public static func == (one: Self, other: Self) -> Bool {
        one.box === other.box || one.values == other.values
    }

    /// Hashes all properties.
    public func hash(into hasher: inout Hasher) {
        values.hash(into: &hasher)
    }
}

extension ReachabilitySnapshot {
    /// Creates a snapshot.
    ///
    /// ``status`` is computed from `flags` and `resolution`. Without a reason, ``reason`` is
    /// ``ReachabilityReason/reachable`` if `flags` say so, else ``ReachabilityReason/notEvaluated``.
    public init(
        flags: ReachabilityFlags, interface: Interface? = nil, source: NetworkAddress? = nil,
        gateway: NetworkAddress? = nil, addresses: [NetworkAddress] = [],
        reason: ReachabilityReason? = nil, resolution: NameResolution = .notAName,
        error: ReachabilityErrno? = nil, isMetered: Bool? = nil,
        nextHopCount: Int = 0, usableNextHopCount: Int = 0
    ) {
        box = Box(
            Values(
                flags: flags,
                status: resolution == .pending && !flags.status.isReachable
                    ? .unknown : flags.status,
                interface: interface, source: source, gateway: gateway, nextHopCount: nextHopCount,
                usableNextHopCount: usableNextHopCount, addresses: addresses,
                reason: reason ?? (flags.contains(.reachable) ? .reachable : .notEvaluated),
                resolution: resolution, error: error, isMetered: isMetered))
    }

    /// The state before the first value.
    public static let unknown = ReachabilitySnapshot(unknownAfter: nil)

    /// The state after monitoring ended with `error`.
    package init(unknownAfter error: ReachabilityErrno?) {
        box = Box(
            Values(
                flags: [], status: .unknown, interface: nil, source: nil, gateway: nil,
                nextHopCount: 0, usableNextHopCount: 0, addresses: [], reason: .notEvaluated,
                resolution: .notAName, error: error, isMetered: nil))
    }
}

extension ReachabilitySnapshot: CustomStringConvertible {
    /// The words of the flags, or `Unknown` if ``status`` is unknown.
    package var words: String { status == .unknown ? "Unknown" : flags.words }

    /// The flags in words, and the interface or the reason.
    public var description: String {
        if reason.isFailure { return "\(words) (\(reason))" }
        return interface.map { "\(words) (\($0.name))" } ?? words
    }
}

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

extension ReachabilitySnapshot {
    /// Whether traffic is likely to be charged by volume, like `isExpensive` of NWPath.
    ///
    /// The value of ``isMetered`` if known. Otherwise, true if the target is reached over a modem, or over an interface
    /// on top of one (VLAN, bridge, bond, macvlan), which has the modem's class. A tunnel (VPN, PPP) over a modem
    /// isn't expensive, since the kernel routes each of its packets separately; see ``NetworkHost/underlay(of:)``. To the
    /// kernel, a phone's hotspot looks like any other Wi-Fi.
    public var isExpensive: Bool {
        isMetered ?? (flags.contains(.isWWAN) || interface?.interfaceClass == .cellular)
    }

    /// The same for a tunnel, which costs what its carrier does unless ``isMetered`` is known.
    package func isExpensive(overExpensive isCarrierExpensive: @autoclosure () -> Bool) -> Bool {
        isExpensive || isMetered == nil && isCarrierExpensive()
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

/// The differences from the last reported state of a target that count as a change.
package enum Reporting: Sendable {
    /// Different flags, another interface while a flag is set, or another resolution or other addresses of a name.
    case verdict
    /// Any difference between the snapshots.
    case path
}
