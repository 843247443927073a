// SPDX-License-Identifier: MIT

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
