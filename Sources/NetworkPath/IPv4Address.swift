// SPDX-License-Identifier: MIT

internal import NetworkReachability

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
