// SPDX-License-Identifier: MIT

/// An IPv4 or IPv6 address.
///
///     let address = try NetworkAddress("fe80::1%eth0")
///     print(address.family, address.scopeID)
///     let manager = NetworkReachabilityManager(address: address)
///     print(try manager.currentSnapshot())
public struct NetworkAddress: Hashable, Sendable {
    /// The address families.
    public enum Family: Hashable, Sendable {
        /// IPv4, four bytes.
        case ipv4
        /// IPv6, sixteen bytes.
        case ipv6
    }

    /// Whether it is an IPv4 or an IPv6 address.
    public let family: Family

    /// The index of the interface that a link-local IPv6 address belongs to, or 0.
    public let scopeID: UInt32

    // Two words instead of a tuple of bytes, so that equality and hashing are synthesized.
    let high: UInt64
    let low: UInt64

    /// Creates an address from two numbers; an IPv4 address is the upper half of the first.
    init(_ family: Family, _ high: UInt64, _ low: UInt64 = 0, scopeID: UInt32 = 0) {
        self.family = family
        self.scopeID = family == .ipv6 ? scopeID : 0
        (self.high, self.low) = (high, low)
    }

    /// Creates an IPv4 address from four bytes, in the order of its text.
    package init(ipv4 first: UInt8, _ second: UInt8, _ third: UInt8, _ fourth: UInt8) {
        self.init(.ipv4, [first, second, third, fourth].reduce(0) { $0 << 8 | UInt64($1) } << 32)
    }

    /// Creates an IPv6 address from eight groups, in the order of its text.
    package init(ipv6 groups: [UInt16]) {
        let words = [groups.prefix(4), groups.suffix(4)].map {
            $0.reduce(0) { $0 << 16 | UInt64($1) }
        }
        self.init(.ipv6, words[0], words[1])
    }

    /// Creates an address from bytes in network byte order.
    ///
    /// - Parameters:
    ///   - bytes: Four bytes for IPv4, sixteen for IPv6.
    ///   - scopeID: Interface index of a link-local IPv6 address, else 0.
    /// - Throws: ``ReachabilityError/Code/invalidAddress`` for any other number of bytes.
    public init(bytes: some Collection<UInt8>, scopeID: UInt32 = 0) throws(ReachabilityError) {
        guard bytes.count == 4 || bytes.count == 16 else {
            throw .invalidAddress(byteCount: bytes.count)
        }
        var words: [UInt64] = [0, 0]
        for (position, byte) in bytes.enumerated() {
            words[position / 8] |= UInt64(byte) << (56 - position % 8 * 8)
        }
        self.init(bytes.count == 4 ? .ipv4 : .ipv6, words[0], words[1], scopeID: scopeID)
    }

    /// The bytes in network byte order, four for IPv4 and sixteen for IPv6.
    public var bytes: [UInt8] {
        let all = (0..<16).map {
            UInt8(truncatingIfNeeded: ($0 < 8 ? high : low) >> (56 - $0 % 8 * 8))
        }
        return family == .ipv4 ? Array(all[..<4]) : all
    }

    /// Whether it is 0.0.0.0 or ::.
    package var isUnspecified: Bool { high == 0 && low == 0 }

    /// Whether the address is in fe80::/10.
    package var isLinkLocal: Bool { family == .ipv6 && high >> 54 == 0xfe80 >> 6 }

    /// The interface name after `%`; nil without one, or for an index.
    static func zone(in text: String) -> String? {
        guard let percent = text.firstIndex(of: "%") else { return nil }
        let zone = text[text.index(after: percent)...]
        return UInt32(zone) == nil ? String(zone) : nil
    }
}
