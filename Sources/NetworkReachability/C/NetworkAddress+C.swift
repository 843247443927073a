// SPDX-License-Identifier: MIT

#if canImport(CReach)
package import CReach
#endif
internal import ReachLibc

extension NetworkAddress {
    /// Parses a numeric address.
    ///
    /// An interface name is looked up in the network namespace of the calling thread.
    ///
    /// - Parameter text: An IPv4 address in any form that `inet_aton()` accepts, such as `127.1`, or an IPv6
    ///   address in the form of `inet_pton()`, optionally followed by `%interface` or `%index`. Names
    ///   are not resolved.
    /// - Throws: ``ReachabilityError/Code/invalidAddress`` if `text` is not an address, and
    ///   ``ReachabilityError/Code/unknownInterface`` if no interface has the name after `%`.
    public init(_ text: String) throws(ReachabilityError) {
        #if canImport(CReach)
        var address = reach_address()
        // C would parse only the text before a NUL.
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
        #else
        try self.init(portably: text)
        #endif
    }

    /// Copies the address of a `struct sockaddr_in` or `sockaddr_in6`; the port is ignored.
    ///
    /// - Parameter sockaddr: The bytes of the struct. No more bytes are read than its family needs.
    /// - Throws: ``ReachabilityError/Code/invalidAddress`` if the struct is too short for its family, and
    ///   ``ReachabilityError/Code/unsupportedFamily`` for any other family.
    public init(sockaddr: UnsafeRawBufferPointer) throws(ReachabilityError) {
        #if canImport(CReach)
        var address = reach_address()
        let pointer = unsafe sockaddr.baseAddress?.assumingMemoryBound(to: SocketAddress.self)
        let result = unsafe reach_address_from_sockaddr(pointer, sockaddr.count, &address)
        guard result == 0, let taken = NetworkAddress(address) else {
            throw .sockaddr(size: sockaddr.count, errno: ReachabilityErrno(rawValue: -result))
        }
        self = taken
        #else
        try unsafe self.init(portably: sockaddr)
        #endif
    }

    #if canImport(CReach)
    /// Reads the address behind a C pointer without a size, as Apple's functions take it.
    ///
    /// The family determines how many bytes are read: callers pass a 16-byte `sockaddr` for IPv4.
    @unsafe
    package init(socketAddress: UnsafeRawPointer) throws(ReachabilityError) {
        let family = unsafe Int32(socketAddress.loadUnaligned(as: sa_family_t.self))
        let size =
            switch family {
            case AF_INET: MemoryLayout<sockaddr_in>.size
            case AF_INET6: MemoryLayout<sockaddr_in6>.size
            default: MemoryLayout<sa_family_t>.size
            }
        try unsafe self.init(sockaddr: UnsafeRawBufferPointer(start: socketAddress, count: size))
    }

    /// Nil for an address without a family.
    package init?(_ address: reach_address) {
        guard [2, 10].contains(address.family) else { return nil }
        let (high, low) = unsafe withUnsafeBytes(of: address.bytes) { bytes in
            unsafe (
                UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self)),
                UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
            )
        }
        self.init(address.family == 2 ? .ipv4 : .ipv6, high, low, scopeID: address.scope_id)
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
    #endif
}

extension NetworkAddress: CustomStringConvertible {
    /// The numeric text; for IPv6 in the form of RFC 5952, with `%index` for a scope.
    public var description: String {
        #if canImport(CReach)
        var address = cValue
        return unsafe text(capacity: Int(REACH_ADDRESS_TEXT_SIZE)) { buffer, size in
            unsafe reach_address_format(&address, buffer, size)
        }
        #else
        portableText
        #endif
    }
}

/// `struct sockaddr`; the initializer's parameter hides that name.
private typealias SocketAddress = sockaddr
