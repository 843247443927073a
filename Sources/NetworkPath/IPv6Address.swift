// SPDX-License-Identifier: MIT

internal import NetworkReachability

/// An IPv6 address, like `IPv6Address` of Apple's Network framework.
public struct IPv6Address: Hashable, Sendable {
    private let address: NetworkAddress

    /// The interface that a link-local address belongs to; nil for other addresses.
    public let interface: NWInterface?

    /// Parses an address such as `2001:db8::1`, without `%` and an interface; nil for invalid text.
    public init?(_ string: String) {
        guard let address = try? NetworkAddress(string), address.family == .ipv6,
            !string.utf8.contains(UInt8(ascii: "%"))
        else { return nil }
        self.init(address, over: nil)
    }

    init(_ address: NetworkAddress, over interface: NWInterface?) {
        self.address = address
        self.interface = address.isLinkLocal ? interface : nil
    }

    /// The sixteen bytes in network byte order.
    public var rawValue: [UInt8] { address.bytes }
}

extension IPv6Address: CustomDebugStringConvertible {
    /// The address as RFC 5952 writes it.
    ///
    /// A link-local address is followed by its interface: `fe80::1%eth0`.
    public var debugDescription: String {
        guard let interface else { return address.description }
        return "\(address.description.prefix { $0 != "%" })%\(interface.name)"
    }
}
