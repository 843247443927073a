// SPDX-License-Identifier: MIT

package import CReach

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

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

    // Two words instead of a tuple of bytes, so that equality and hashing are synthesised.
    private let high: UInt64
    private let low: UInt64

    /// Parses a numeric address.
    ///
    /// The interface is looked up in the network namespace of the calling thread.
    ///
    /// - Parameter text: An IPv4 address in any form of `inet_aton()`, such as `127.1`, or an IPv6
    ///   address in the form of `inet_pton()`, with `%interface` or `%index` after it if need be. Names
    ///   are not resolved.
    /// - Throws: ``ReachabilityError/Code/invalidAddress`` if it is not an address, and
    ///   ``ReachabilityError/Code/unknownInterface`` if no interface has the name after `%`.
    public init(_ text: String) throws(ReachabilityError) {
        var address = reach_address()
        // C would parse the text before a NUL only.
        let result =
            text.utf8.contains(0)
            ? -ReachabilityErrno.invalidArgument.rawValue
            : unsafe reach_address_parse(text, &address)
        switch ReachabilityErrno(rawValue: -result) {
        case .noSuchDevice: throw .unknownInterface(inAddress: text)
        case _ where result < 0: throw .invalidAddress(text)
        default: break
        }
        guard let parsed = NetworkAddress(address) else { throw .invalidAddress(text) }
        self = parsed
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
        var address = reach_address()
        address.scope_id = scopeID
        unsafe withUnsafeMutableBytes(of: &address.bytes) { unsafe $0.copyBytes(from: bytes) }
        self.init(bytes.count == 4 ? .ipv4 : .ipv6, address)
    }

    /// Copies the address of a `struct sockaddr_in` or `sockaddr_in6`; the port is ignored.
    ///
    /// - Parameter sockaddr: The bytes of the struct. No more than the size for its family are read.
    /// - Throws: ``ReachabilityError/Code/invalidAddress`` if it is too short for its family, and
    ///   ``ReachabilityError/Code/unsupportedFamily`` for any other family.
    public init(sockaddr: UnsafeRawBufferPointer) throws(ReachabilityError) {
        var address = reach_address()
        let pointer = unsafe sockaddr.baseAddress?.assumingMemoryBound(to: SocketAddress.self)
        let result = unsafe reach_address_from_sockaddr(pointer, sockaddr.count, &address)
        guard result == 0, let taken = NetworkAddress(address) else {
            throw .sockaddr(size: sockaddr.count, errno: ReachabilityErrno(rawValue: -result))
        }
        self = taken
    }

    /// The bytes in network byte order, four for IPv4 and sixteen for IPv6.
    public var bytes: [UInt8] {
        let all = (0..<16).map {
            UInt8(truncatingIfNeeded: ($0 < 8 ? high : low) >> (56 - $0 % 8 * 8))
        }
        return family == .ipv4 ? Array(all[..<4]) : all
    }
}

extension NetworkAddress {
    /// The IPv4 address of four bytes, as they are written.
    package init(ipv4 first: UInt8, _ second: UInt8, _ third: UInt8, _ fourth: UInt8) {
        var address = reach_address()
        unsafe withUnsafeMutableBytes(of: &address.bytes) {
            unsafe $0.copyBytes(from: [first, second, third, fourth])
        }
        self.init(.ipv4, address)
    }
}

extension NetworkAddress {
    /// The IPv6 address of eight groups, as they are written.
    package init(ipv6 groups: [UInt16]) {
        var address = reach_address()
        unsafe withUnsafeMutableBytes(of: &address.bytes) {
            unsafe $0.copyBytes(from: groups.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] })
        }
        self.init(.ipv6, address)
    }
}

extension NetworkAddress: CustomStringConvertible {
    /// The numeric text, by RFC 5952 for IPv6, with `%index` for a scope.
    public var description: String {
        var address = cValue
        return unsafe text(capacity: Int(REACH_ADDRESS_TEXT_SIZE)) { buffer, size in
            unsafe reach_address_format(&address, buffer, size)
        }
    }
}

extension NetworkAddress {
    /// Nil for an address without a family.
    init?(_ address: reach_address) {
        switch address.family {
        case 2: self.init(.ipv4, address)
        case 10: self.init(.ipv6, address)
        default: return nil
        }
    }

    private init(_ family: Family, _ address: reach_address) {
        self.family = family
        scopeID = family == .ipv6 ? address.scope_id : 0
        (high, low) = unsafe withUnsafeBytes(of: address.bytes) { bytes in
            unsafe (
                UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self)),
                UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
            )
        }
    }

    /// The name of the interface after `%`; nil for an index.
    static func zone(in text: String) -> String? {
        guard let percent = text.firstIndex(of: "%") else { return nil }
        let zone = text[text.index(after: percent)...]
        return UInt32(zone) == nil ? String(zone) : nil
    }

    package var cValue: reach_address {
        var address = reach_address()
        address.family = family == .ipv4 ? 2 : 10
        address.scope_id = scopeID
        unsafe withUnsafeMutableBytes(of: &address.bytes) { bytes in
            unsafe bytes.storeBytes(of: high.bigEndian, as: UInt64.self)
            unsafe bytes.storeBytes(of: low.bigEndian, toByteOffset: 8, as: UInt64.self)
        }
        return address
    }
}

/// `struct sockaddr`; the parameter of the initialiser hides that name.
private typealias SocketAddress = sockaddr
