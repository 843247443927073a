// SPDX-License-Identifier: MIT

@unsafe @preconcurrency public import CoreFoundation
public import Foundation
internal import NetworkReachability

/// Makes a target of an address.
///
/// The zero address, `0.0.0.0` or `::`, stands for the default path, "is there a way out at all";
/// `169.254.0.0` for a usable wired or Wi-Fi interface.
///
/// - Parameters:
///   - allocator: Not used; nil or `kCFAllocatorDefault`.
///   - address: A `sockaddr_in` or `sockaddr_in6`; its family tells how much is read. It is copied.
/// - Returns: The target, or nil for another family, and `SCError()` is `kSCStatusInvalidArgument`.
public func SCNetworkReachabilityCreateWithAddress(
    _ allocator: CFAllocator?, _ address: UnsafePointer<sockaddr>
) -> SCNetworkReachability? {
    ThreadStatus.value { () throws(StatusError) in
        SCNetworkReachability(
            Endpoint(address: unsafe try NetworkAddress.read(address)),
            allocator: number(of: allocator))
    }
}

/// Makes a target of a remote address, to be reached from a local one.
///
/// It is not reachable while the local address is none of this host's.
///
/// - Parameters:
///   - allocator: Not used; nil or `kCFAllocatorDefault`.
///   - localAddress: A `sockaddr_in` or `sockaddr_in6`, or nil for any. It is copied. With a remote
///     address that is not in 127/8, one that is stands for any.
///   - remoteAddress: One of the same family, or nil for the default path. It is copied.
/// - Returns: The target, or nil if both are nil, for other families or two different ones, and
///   `SCError()` is `kSCStatusInvalidArgument`.
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

/// Makes a target of a host name.
///
/// While it is scheduled the name is resolved, and again when the network changes. Until the answer is
/// final the default path's flags are the name's. Everything that is no name, a URL or one with a port,
/// turns out to have no address and is not reachable then.
///
/// - Parameters:
///   - allocator: Not used; nil or `kCFAllocatorDefault`.
///   - nodename: The name, copied. A numeric address makes an address target.
/// - Returns: The target, or nil for an empty name, and `SCError()` is `kSCStatusInvalidArgument`.
public func SCNetworkReachabilityCreateWithName(
    _ allocator: CFAllocator?, _ nodename: UnsafePointer<CChar>
) -> SCNetworkReachability? {
    ThreadStatus.value { () throws(StatusError) in
        SCNetworkReachability(
            try Endpoint(name: unsafe String(cString: nodename)), allocator: number(of: allocator))
    }
}

/// The number that stands for the type ``SCNetworkReachability``.
///
/// It is no type of Core Foundation's runtime: `CFGetTypeID()` does not take a target on Linux.
public func SCNetworkReachabilityGetTypeID() -> CFTypeID {
    // "SCNR"; Core Foundation counts its own from 1.
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
