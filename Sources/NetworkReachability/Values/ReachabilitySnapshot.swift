// SPDX-License-Identifier: MIT

@_implementationOnly import CReach

/// All that is known of a target at one moment.
///
/// A plain value.
public struct ReachabilitySnapshot: Hashable, Sendable {
    /// The interface a packet leaves by.
    public struct Interface: Hashable, Sendable {
        /// The kernel's index, unique within its network namespace.
        public let index: UInt32
        /// The name, for example `eth0`.
        public let name: String
        /// What the interface is.
        public let interfaceClass: NetworkInterfaceClass

        /// Describes an interface.
        public init(index: UInt32, name: String, interfaceClass: NetworkInterfaceClass) {
            self.index = index
            self.name = name
            self.interfaceClass = interfaceClass
        }
    }

    /// The flags; empty while ``status`` is unknown.
    public let flags: ReachabilityFlags

    /// The status the flags stand for, or ``NetworkReachabilityStatus/unknown`` before the first value.
    public let status: NetworkReachabilityStatus

    /// The interface a packet leaves by, if there is one.
    ///
    /// For an own address the one that has it.
    public let interface: Interface?

    /// The source address the kernel chooses, if it told.
    public let source: NetworkAddress?

    /// The next hop, if there is one.
    ///
    /// May be IPv6 for an IPv4 target (RFC 5549).
    public let gateway: NetworkAddress?

    /// What a name resolved to, in the resolver's order, at most 16; empty for other targets.
    public let addresses: [NetworkAddress]

    /// Why the target is not reachable, or ``ReachabilityReason/none``.
    public let reason: ReachabilityReason

    /// How far the resolution of a name is.
    public let resolution: NameResolution

    /// The error the kernel answered with, or the one that ended monitoring, or nil.
    public let error: ReachabilityErrno?

    /// A snapshot; ``status`` follows from `flags`.
    public init(
        flags: ReachabilityFlags, interface: Interface? = nil, source: NetworkAddress? = nil,
        gateway: NetworkAddress? = nil, addresses: [NetworkAddress] = [],
        reason: ReachabilityReason = .none, resolution: NameResolution = .none,
        error: ReachabilityErrno? = nil
    ) {
        self.flags = flags
        self.status = flags.status
        self.interface = interface
        self.source = source
        self.gateway = gateway
        self.addresses = addresses
        self.reason = reason
        self.resolution = resolution
        self.error = error
    }

    /// What is known before the first value: nothing.
    public static let unknown = ReachabilitySnapshot(unknownAfter: nil)

    /// Nothing is known any more, since `error` ended monitoring.
    init(unknownAfter error: ReachabilityErrno?) {
        flags = []
        status = .unknown
        interface = nil
        source = nil
        gateway = nil
        addresses = []
        reason = .none
        resolution = .none
        self.error = error
    }

    init(_ state: reach_state) {
        let count = min(Int(state.address_count), Int(REACH_ADDRESSES_MAX))
        let addresses = unsafe withUnsafeBytes(of: state.addresses) { bytes in
            unsafe bytes.withMemoryRebound(to: reach_address.self) { list in
                unsafe list.prefix(count).compactMap { NetworkAddress($0) }
            }
        }
        self.init(
            flags: ReachabilityFlags(rawValue: state.flags),
            interface: state.interface_index == 0
                ? nil
                : Interface(
                    index: state.interface_index, name: text(of: state.interface_name),
                    interfaceClass: NetworkInterfaceClass(rawClass: state.interface_class)),
            source: NetworkAddress(state.source), gateway: NetworkAddress(state.gateway),
            addresses: addresses, reason: ReachabilityReason(rawReason: state.reason),
            resolution: NameResolution(rawResolution: state.resolution),
            error: state.error == 0 ? nil : ReachabilityErrno(rawValue: state.error))
    }
}

extension ReachabilitySnapshot: CustomStringConvertible {
    /// The flags in words, and the interface or the reason.
    public var description: String {
        guard status != .unknown else { return "unknown" }
        if reason != .none { return "\(flags.words) (\(reason))" }
        return interface.map { "\(flags.words) (\($0.name))" } ?? flags.words
    }
}
