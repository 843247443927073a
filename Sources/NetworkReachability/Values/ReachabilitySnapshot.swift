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
    /// The interface that packets to the target leave by.
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
    public let flags: ReachabilityFlags

    /// The status for ``flags``, or ``NetworkReachabilityStatus/unknown`` before the first value, and of a name
    /// that is not resolved yet and not taken as reachable until then (``NameResolutionPolicy``).
    public let status: NetworkReachabilityStatus

    /// The interface that packets to the target leave by, if any.
    ///
    /// For an address of this host, it is the interface that has the address.
    public let interface: Interface?

    /// The source address that the kernel chooses, if it reported one.
    public let source: NetworkAddress?

    /// The gateway, if any.
    ///
    /// An IPv4 target may have an IPv6 gateway (RFC 8950).
    public let gateway: NetworkAddress?

    /// The number of next hops of the route, at most 255; 0 without a route, and for an address of this host.
    ///
    /// With more than one (ECMP), ``interface``, ``source``, and ``gateway`` are those that a TCP connection takes.
    /// Where the kernel hashes ports (`fib_multipath_hash_policy`), no lookup shows which one that is: one usable next
    /// hop makes the target reachable, and the properties are those of a usable one.
    public let nextHopCount: Int

    /// How many of the next hops leave by a usable interface.
    public let usableNextHopCount: Int

    /// The addresses of a name, in the resolver's order, at most 16; empty for other targets.
    public let addresses: [NetworkAddress]

    /// Why the target is not reachable, or ``ReachabilityReason/reachable``.
    public let reason: ReachabilityReason

    /// The state of the name's resolution.
    public let resolution: NameResolution

    /// The error of the route lookup, or the one that ended monitoring; nil for none.
    ///
    /// With ``ReachabilityReason/resolverFailed``, the resource that the resolver lacked, such as descriptors
    /// (``ReachabilityErrno/tooManyOpenFiles``).
    public let error: ReachabilityErrno?

    /// Whether traffic over ``interface`` is metered, according to a source outside the kernel; nil if no source
    /// reports it.
    ///
    /// `NetworkManager.informReachability()` of the product `SystemServices` is such a source. It covers the network
    /// namespace of the process. See ``isExpensive``.
    public package(set) var isMetered: Bool?

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
        self.flags = flags
        self.status =
            resolution == .pending && !flags.status.isReachable ? .unknown : flags.status
        self.interface = interface
        self.source = source
        self.gateway = gateway
        self.addresses = addresses
        self.reason = reason ?? (flags.contains(.reachable) ? .reachable : .notEvaluated)
        self.resolution = resolution
        self.error = error
        self.isMetered = isMetered
        self.nextHopCount = nextHopCount
        self.usableNextHopCount = usableNextHopCount
    }

    /// The state before the first value.
    public static let unknown = ReachabilitySnapshot(unknownAfter: nil)

    /// The state after monitoring ended with `error`.
    init(unknownAfter error: ReachabilityErrno?) {
        flags = []
        status = .unknown
        interface = nil
        source = nil
        gateway = nil
        addresses = []
        reason = .notEvaluated
        resolution = .notAName
        self.error = error
        isMetered = nil
        nextHopCount = 0
        usableNextHopCount = 0
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
