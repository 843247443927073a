// SPDX-License-Identifier: MIT

@unsafe @preconcurrency public import CoreFoundation
public import Foundation
internal import NetworkReachability

/// Creates a target for an address.
///
///     var address = sockaddr_in()
///     address.sin_family = sa_family_t(AF_INET)
///     let target = withUnsafePointer(to: &address) {
///         $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
///             SCNetworkReachabilityCreateWithAddress(nil, $0)
///         }
///     }
///     print(target?.description ?? String(cString: SCErrorString(SCError())))
///
/// The zero address, `0.0.0.0` or `::`, stands for the default path, which is reachable if the internet has a route.
/// `169.254.0.0` stands for local Wi-Fi, which is reachable if a usable Ethernet or Wi-Fi interface has an address.
///
/// - Parameters:
///   - allocator: Ignored; nil or `kCFAllocatorDefault`.
///   - address: A `sockaddr_in` or `sockaddr_in6`, which is copied; its family determines how many bytes
///     are read.
/// - Returns: The target; nil for another family, with `kSCStatusInvalidArgument` in `SCError()`.
public func SCNetworkReachabilityCreateWithAddress(
    _ allocator: CFAllocator?, _ address: UnsafePointer<sockaddr>
) -> SCNetworkReachability? {
    ThreadStatus.value { () throws(StatusError) in
        SCNetworkReachability(
            Endpoint(address: unsafe try NetworkAddress.read(address)),
            allocator: number(of: allocator))
    }
}

/// Creates a target for a remote address, reached from a local one.
///
/// The target isn't reachable while this host doesn't have the local address.
///
/// - Parameters:
///   - allocator: Ignored; nil or `kCFAllocatorDefault`.
///   - localAddress: A `sockaddr_in` or `sockaddr_in6`, which is copied, or nil for any. An address in
///     127/8 counts as nil unless the remote address is in 127/8, too.
///   - remoteAddress: An address of the same family, which is copied, or nil for the default path.
/// - Returns: The target. Nil if both addresses are nil, their families differ, or a family isn't supported;
///   `SCError()` is then `kSCStatusInvalidArgument`.
public func SCNetworkReachabilityCreateWithAddressPair(
    _ allocator: CFAllocator?, _ localAddress: UnsafePointer<sockaddr>?,
    _ remoteAddress: UnsafePointer<sockaddr>?
) -> SCNetworkReachability? {
    ThreadStatus.value { () throws(StatusError) in
        let endpoint = unsafe try Endpoint(
            local: readOptional(localAddress), remote: readOptional(remoteAddress))
        return SCNetworkReachability(endpoint, allocator: number(of: allocator))
    }
}

/// Creates a target for a host name.
///
/// While the target is scheduled, its name is resolved, and resolved again when the network changes. Until the answer
/// is final, the target has the flags of the default path. An invalid name, such as a URL or a name with a port,
/// resolves to no address and isn't reachable.
///
/// - Parameters:
///   - allocator: Ignored; nil or `kCFAllocatorDefault`.
///   - nodename: The name, which is copied. A numeric address creates an address target.
/// - Returns: The target; nil for an empty name, with `kSCStatusInvalidArgument` in `SCError()`.
public func SCNetworkReachabilityCreateWithName(
    _ allocator: CFAllocator?, _ nodename: UnsafePointer<CChar>
) -> SCNetworkReachability? {
    ThreadStatus.value { () throws(StatusError) in
        SCNetworkReachability(
            try Endpoint(name: unsafe String(cString: nodename)), allocator: number(of: allocator))
    }
}

/// The type id of ``SCNetworkReachability``.
///
/// `CFGetTypeID()` of this module returns it for a target. Core Foundation doesn't know the type, so don't pass
/// a target to its functions as a `CFTypeRef`.
public func SCNetworkReachabilityGetTypeID() -> CFTypeID {
    // "SCNR" in ASCII; Core Foundation numbers its own types from 1.
    0x5343_4e52
}

private func readOptional(
    _ pointer: UnsafePointer<sockaddr>?
) throws(StatusError) -> NetworkAddress? {
    guard let pointer = unsafe pointer else { return nil }
    return unsafe try NetworkAddress.read(pointer)
}

func number(of allocator: CFAllocator?) -> UInt {
    guard let allocator = unsafe allocator ?? CFAllocatorGetDefault()?.takeUnretainedValue() else {
        return 0
    }
    return unsafe UInt(bitPattern: Unmanaged.passUnretained(allocator).toOpaque())
}

/// Returns the flags of a target.
///
///     var flags = SCNetworkReachabilityFlags()
///     guard SCNetworkReachabilityGetFlags(target, &flags) else {
///         return print(String(cString: SCErrorString(SCError())))
///     }
///     print(flags.contains(.reachable))
///
/// For a scheduled target, the function returns the flags that were last reported. Otherwise it queries the kernel: for
/// the flags of an address, or for a name, those of the default path. It waits for the kernel, but doesn't resolve
/// names.
///
/// - Parameters:
///   - target: The target.
///   - flags: The flags; untouched on failure.
/// - Returns: Whether the flags are known; if not, `SCError()` returns the reason.
@discardableResult
public func SCNetworkReachabilityGetFlags(
    _ target: SCNetworkReachability, _ flags: UnsafeMutablePointer<SCNetworkReachabilityFlags>
) -> Bool {
    guard let known = ThreadStatus.value({ () throws(StatusError) in try target.flags() }) else {
        return false
    }
    unsafe flags.pointee = known
    return true
}

// Socket addresses on Linux have no length member. Sources written for BSD can still set it, without effect.

/// 169.254.0.0 in host byte order, the address of the link-local network.
///
/// As a target it stands for local Wi-Fi.
public let IN_LINKLOCALNETNUM: UInt32 = 0xA9FE_0000

extension sockaddr {
    /// The size of the address, determined by its family.
    public var sa_len: UInt8 {
        get { socketAddressSize(of: sa_family) }
        set {}
    }

    /// The initializer that Apple's systems import; `sa_len` has no effect.
    public init(
        sa_len: UInt8, sa_family: sa_family_t,
        sa_data: (
            CChar, CChar, CChar, CChar, CChar, CChar, CChar, CChar, CChar, CChar, CChar, CChar,
            CChar, CChar
        )
    ) {
        self.init(sa_family: sa_family, sa_data: sa_data)
    }
}

extension sockaddr_in {
    /// The size of the struct.
    public var sin_len: UInt8 {
        get { UInt8(MemoryLayout<sockaddr_in>.size) }
        set {}
    }

    /// The initializer that Apple's systems import; `sin_len` has no effect, and `sin_zero` is always 0.
    public init(
        sin_len: UInt8, sin_family: sa_family_t, sin_port: in_port_t, sin_addr: in_addr,
        sin_zero: (CChar, CChar, CChar, CChar, CChar, CChar, CChar, CChar)
    ) {
        self.init()
        self.sin_family = sin_family
        self.sin_port = sin_port
        self.sin_addr = sin_addr
    }
}

extension sockaddr_in6 {
    /// The size of the struct.
    public var sin6_len: UInt8 {
        get { UInt8(MemoryLayout<sockaddr_in6>.size) }
        set {}
    }

    /// The initializer that Apple's systems import; `sin6_len` has no effect.
    public init(
        sin6_len: UInt8, sin6_family: sa_family_t, sin6_port: in_port_t, sin6_flowinfo: UInt32,
        sin6_addr: in6_addr, sin6_scope_id: UInt32
    ) {
        self.init(
            sin6_family: sin6_family, sin6_port: sin6_port, sin6_flowinfo: sin6_flowinfo,
            sin6_addr: sin6_addr, sin6_scope_id: sin6_scope_id)
    }
}

extension sockaddr_storage {
    /// The size of the address in the storage, determined by its family.
    public var ss_len: UInt8 {
        get { socketAddressSize(of: ss_family) }
        set {}
    }
}

func socketAddressSize(of family: sa_family_t) -> UInt8 {
    switch CInt(family) {
    case AF_INET: UInt8(MemoryLayout<sockaddr_in>.size)
    case AF_INET6: UInt8(MemoryLayout<sockaddr_in6>.size)
    default: UInt8(MemoryLayout<sockaddr>.size)
    }
}
