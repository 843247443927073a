// SPDX-License-Identifier: MIT

internal import NetworkReachability

/// An IPv4 address, like `IPv4Address` of Apple's Network framework.
public struct IPv4Address: Hashable, Sendable {
    private let address: NetworkAddress

    /// Parses an address such as `192.0.2.1`; nil for invalid text.
    public init?(_ string: String) {
        guard let address = try? NetworkAddress(string), address.family == .ipv4 else { return nil }
        self.address = address
    }

    init(_ address: NetworkAddress) {
        self.address = address
    }

    /// The four bytes in network byte order.
    public var rawValue: [UInt8] { address.bytes }
}

extension IPv4Address: CustomDebugStringConvertible {
    /// The address in dotted decimal.
    public var debugDescription: String { address.description }
}
