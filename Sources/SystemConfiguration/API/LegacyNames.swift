// SPDX-License-Identifier: MIT

internal import NetworkReachability
public import Foundation

/// The flags of SCNetwork.h; ``SCNetworkReachabilityFlags`` replaces them.
///
///     var flags = SCNetworkConnectionFlags()
///     if SCNetworkCheckReachabilityByName("www.example.com", &flags) {
///         print(Int(flags) & kSCNetworkFlagsReachable != 0)
///     }
public typealias SCNetworkConnectionFlags = UInt32

/// The older name of ``SCNetworkReachabilityFlags/transientConnection``.
public let kSCNetworkFlagsTransientConnection = 1 << 0
/// The older name of ``SCNetworkReachabilityFlags/reachable``.
public let kSCNetworkFlagsReachable = 1 << 1
/// The older name of ``SCNetworkReachabilityFlags/connectionRequired``.
public let kSCNetworkFlagsConnectionRequired = 1 << 2
/// The older name of ``SCNetworkReachabilityFlags/connectionOnTraffic``.
public let kSCNetworkFlagsConnectionAutomatic = 1 << 3
/// The older name of ``SCNetworkReachabilityFlags/interventionRequired``.
public let kSCNetworkFlagsInterventionRequired = 1 << 4
/// The older name of ``SCNetworkReachabilityFlags/isLocalAddress``.
public let kSCNetworkFlagsIsLocalAddress = 1 << 16
/// The older name of ``SCNetworkReachabilityFlags/isDirect``.
public let kSCNetworkFlagsIsDirect = 1 << 17

/// Queries the flags of an address.
///
/// - Parameters:
///   - address: A `sockaddr_in` or `sockaddr_in6`.
///   - addrlen: The size of the address in bytes; no more is read.
///   - flags: The flags; untouched on failure.
/// - Returns: Whether the flags are known; if not, `SCError()` returns the reason.
@discardableResult
public func SCNetworkCheckReachabilityByAddress(
    _ address: UnsafePointer<sockaddr>, _ addrlen: socklen_t,
    _ flags: UnsafeMutablePointer<SCNetworkConnectionFlags>
) -> Bool {
    ThreadStatus.succeeds { () throws(StatusError) in
        let bytes = unsafe UnsafeRawBufferPointer(start: address, count: Int(addrlen))
        let endpoint = Endpoint(address: unsafe try NetworkAddress.read(bytes))
        unsafe flags.pointee = try endpoint.check().flags.rawValue
    }
}

/// Queries the flags of a name: those of the default path, because the name isn't resolved.
///
/// - Parameters:
///   - nodename: A name or a numeric address.
///   - flags: The flags; untouched on failure.
/// - Returns: Whether the flags are known; if not, `SCError()` returns the reason.
@discardableResult
public func SCNetworkCheckReachabilityByName(
    _ nodename: UnsafePointer<CChar>, _ flags: UnsafeMutablePointer<SCNetworkConnectionFlags>
) -> Bool {
    ThreadStatus.succeeds { () throws(StatusError) in
        let endpoint = try Endpoint(name: unsafe String(cString: nodename))
        unsafe flags.pointee = try endpoint.check().flags.rawValue
    }
}
