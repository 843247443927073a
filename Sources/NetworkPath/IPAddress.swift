// SPDX-License-Identifier: MIT

#if !canImport(Network)
internal import NetworkReachability

/// An IP address, like `IPAddress` of Apple's Network framework.
public protocol IPAddress: Sendable {
    /// Creates an address from its bytes in network byte order; nil for any other number of bytes.
    init?(_ rawValue: [UInt8], _ interface: NWInterface?)

    /// Parses an address; nil for invalid text.
    init?(_ string: String)

    /// The bytes in network byte order.
    var rawValue: [UInt8] { get }

    /// The interface that the address belongs to, if any.
    var interface: NWInterface? { get }

    /// Whether it is the loopback address: 127.0.0.1 or ::1.
    var isLoopback: Bool { get }

    /// Whether it is in 169.254.0.0/16 or fe80::/10.
    var isLinkLocal: Bool { get }

    /// Whether it is in 224.0.0.0/4 or ff00::/8.
    var isMulticast: Bool { get }
}

/// An IPv4 address, like `IPv4Address` of Apple's Network framework.
public struct IPv4Address: IPAddress, Hashable {
    /// 0.0.0.0, the unspecified address.
    public static let any = IPv4Address(NetworkAddress(ipv4: 0, 0, 0, 0))
    /// 255.255.255.255, all hosts of the link.
    public static let broadcast = IPv4Address(NetworkAddress(ipv4: 255, 255, 255, 255))
    /// 127.0.0.1, this host.
    public static let loopback = IPv4Address(NetworkAddress(ipv4: 127, 0, 0, 1))
    /// 224.0.0.1, the multicast group of all hosts.
    public static let allHostsGroup = IPv4Address(NetworkAddress(ipv4: 224, 0, 0, 1))
    /// 224.0.0.2, the multicast group of all routers.
    public static let allRoutersGroup = IPv4Address(NetworkAddress(ipv4: 224, 0, 0, 2))
    /// 224.0.0.22, the multicast group of IGMPv3 reports.
    public static let allReportsGroup = IPv4Address(NetworkAddress(ipv4: 224, 0, 0, 22))
    /// 224.0.0.251, the multicast group of multicast DNS.
    public static let mdnsGroup = IPv4Address(NetworkAddress(ipv4: 224, 0, 0, 251))

    private let address: NetworkAddress

    /// The interface that was given with the bytes, if any.
    public let interface: NWInterface?

    /// Parses an address such as `192.0.2.1`; nil for invalid text.
    public init?(_ string: String) {
        guard let address = try? NetworkAddress(string), address.family == .ipv4 else { return nil }
        self.init(address)
    }

    /// Creates an address from four bytes in network byte order; nil for any other number.
    public init?(_ rawValue: [UInt8], _ interface: NWInterface? = nil) {
        guard rawValue.count == 4, let address = try? NetworkAddress(bytes: rawValue)
        else { return nil }
        self.init(address, over: interface)
    }

    init(_ address: NetworkAddress, over interface: NWInterface? = nil) {
        self.address = address
        self.interface = interface
    }

    /// The four bytes in network byte order.
    public var rawValue: [UInt8] { address.bytes }

    /// Whether it is 127.0.0.1, as on Apple platforms; false for the rest of 127.0.0.0/8.
    public var isLoopback: Bool { address == Self.loopback.address }

    /// Whether it is in 169.254.0.0/16.
    public var isLinkLocal: Bool { rawValue.starts(with: [169, 254]) }

    /// Whether it is in 224.0.0.0/4.
    public var isMulticast: Bool { rawValue[0] >> 4 == 0xe }
}

extension IPv4Address: CustomDebugStringConvertible {
    /// The address in dotted decimal, followed by its interface if there is one: `169.254.1.2%eth0`.
    public var debugDescription: String {
        address.description + (interface.map { "%\($0.name)" } ?? "")
    }
}

/// An IPv6 address, like `IPv6Address` of Apple's Network framework.
public struct IPv6Address: IPAddress, Hashable {
    /// The scope of a multicast address (RFC 7346).
    public enum Scope: UInt8, Sendable {
        /// This host.
        case nodeLocal = 1
        /// The link.
        case linkLocal = 2
        /// The site.
        case siteLocal = 5
        /// The organization.
        case organizationLocal = 8
        /// Everywhere.
        case global = 14
    }

    /// `::`, the unspecified address.
    public static let any = IPv6Address(0, 0)
    /// `::`, as on Apple platforms: IPv6 has no broadcast.
    public static let broadcast = any
    /// `::1`, this host.
    public static let loopback = IPv6Address(0, 1)
    /// `ff01::1`, the multicast group of all nodes on this host.
    public static let nodeLocalNodes = IPv6Address(0xff01, 1)
    /// `ff02::1`, the multicast group of all nodes on the link.
    public static let linkLocalNodes = IPv6Address(0xff02, 1)
    /// `ff02::2`, the multicast group of all routers on the link.
    public static let linkLocalRouters = IPv6Address(0xff02, 2)

    private let address: NetworkAddress

    /// The interface of a link-local gateway, or the one that was given with the bytes; else nil.
    public let interface: NWInterface?

    /// Parses an address such as `2001:db8::1`, without `%` and an interface; nil for invalid text.
    public init?(_ string: String) {
        guard let address = try? NetworkAddress(string), address.family == .ipv6,
            !string.utf8.contains(UInt8(ascii: "%"))
        else { return nil }
        self.init(address, over: nil)
    }

    /// Creates an address from sixteen bytes in network byte order; nil for any other number.
    public init?(_ rawValue: [UInt8], _ interface: NWInterface? = nil) {
        guard rawValue.count == 16, let address = try? NetworkAddress(bytes: rawValue)
        else { return nil }
        self.init(address, over: interface)
    }

    init(_ address: NetworkAddress, over interface: NWInterface?) {
        self.address = address
        self.interface = interface
    }

    private init(_ first: UInt16, _ last: UInt16) {
        self.init(NetworkAddress(ipv6: [first, 0, 0, 0, 0, 0, 0, last]), over: nil)
    }

    /// The sixteen bytes in network byte order.
    public var rawValue: [UInt8] { address.bytes }

    /// Whether it is `::`.
    public var isAny: Bool { rawValue == Self.any.rawValue }

    /// Whether it is `::1`.
    public var isLoopback: Bool { rawValue == Self.loopback.rawValue }

    /// Whether it is in fe80::/10.
    public var isLinkLocal: Bool { address.isLinkLocal }

    /// Whether it is in fc00::/7.
    public var isUniqueLocal: Bool { rawValue[0] & 0xfe == 0xfc }

    /// Whether it is in ff00::/8.
    public var isMulticast: Bool { rawValue[0] == 0xff }

    /// The scope of a multicast address; nil for other addresses, and for a scope without a name.
    public var multicastScope: Scope? {
        isMulticast ? Scope(rawValue: rawValue[1] & 0x0f) : nil
    }

    /// Whether it is in 2002::/16.
    public var is6to4: Bool { rawValue.starts(with: [0x20, 0x02]) }

    /// Whether it is in ::ffff:0:0/96.
    public var isIPv4Mapped: Bool {
        rawValue.prefix(12) == Self.any.rawValue.prefix(10) + [0xff, 0xff]
    }

    /// Whether it is in ::/96, and neither `::` nor `::1`; Apple's spelling.
    public var isIPv4Compatabile: Bool {
        rawValue.prefix(12) == Self.any.rawValue.prefix(12) && !isAny && !isLoopback
    }

    /// The IPv4 address of a mapped or compatible one; else nil.
    public var asIPv4: IPv4Address? {
        isIPv4Mapped || isIPv4Compatabile ? IPv4Address(Array(rawValue.suffix(4)), interface) : nil
    }
}

extension IPv6Address: CustomDebugStringConvertible {
    /// The address as RFC 5952 writes it, followed by its interface if there is one: `fe80::1%eth0`.
    public var debugDescription: String {
        guard let interface else { return address.description }
        return "\(address.description.prefix { $0 != "%" })%\(interface.name)"
    }
}
#endif
