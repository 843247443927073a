// SPDX-License-Identifier: MIT

@unsafe @preconcurrency public import CoreFoundation
public import Foundation
internal import NetworkReachability

// A private interface of Apple's systems, which Apple's own programs use.

/// Key of a host name, a string.
public var kSCNetworkReachabilityOptionNodeName: CFString { "nodename" }
/// Key of a local address, the data of a `sockaddr_in` or `sockaddr_in6`.
public var kSCNetworkReachabilityOptionLocalAddress: CFString { "local-address" }
/// Key of a remote address, the data of a `sockaddr_in` or `sockaddr_in6`.
public var kSCNetworkReachabilityOptionRemoteAddress: CFString { "remote-address" }
/// Key of an address for a reverse lookup, which is not implemented: a dictionary with it is refused.
public var kSCNetworkReachabilityOptionPTRAddress: CFString { "ptr-address" }
/// Key of the name of the only interface that routes may use, a string.
public var kSCNetworkReachabilityOptionInterface: CFString { "interface" }
/// Key of a Boolean: whether a name is not resolved.
public var kSCNetworkReachabilityOptionResolverBypass: CFString { "ResolverBypass" }
/// Key of a Boolean: whether VPN on demand is ignored; without effect here.
public var kSCNetworkReachabilityOptionConnectionOnDemandBypass: CFString {
    "ConnectionOnDemandBypass"
}
/// Key of a Boolean: whether the reachability server is bypassed; without effect here.
public var kSCNetworkReachabilityOptionServerBypass: CFString { "ServerBypass" }

/// Creates a target from a dictionary of options.
///
///     let options: NSDictionary = [
///         kSCNetworkReachabilityOptionNodeName: "www.example.com",
///         kSCNetworkReachabilityOptionInterface: "eth0",
///     ]
///     if let target = SCNetworkReachabilityCreateWithOptions(nil, options) {
///         SCNetworkReachabilitySetDispatchQueue(target, .main)
///     }
///
/// The dictionary has either a name or one or two addresses. With an interface the target is reachable
/// only through it. A name that is not resolved keeps the flags of the default path, through the interface
/// if one is given.
///
/// - Parameters:
///   - allocator: Ignored; nil or `kCFAllocatorDefault`.
///   - options: Values for the `kSCNetworkReachabilityOption` keys; others are ignored.
/// - Returns: The target; nil for a value of the wrong type, an empty name, an invalid address, a name
///   together with an address, neither of them, `ptr-address`, or an interface that does not exist, and
///   `SCError()` is `kSCStatusInvalidArgument`.
public func SCNetworkReachabilityCreateWithOptions(
    _ allocator: CFAllocator?, _ options: CFDictionary
) -> SCNetworkReachability? {
    ThreadStatus.value { () throws(StatusError) in
        SCNetworkReachability(try Endpoint(options: options), allocator: number(of: allocator))
    }
}

/// Returns the addresses of a scheduled name.
///
/// - Parameters:
///   - target: A target for a name.
///   - error_num: Set to 0 for a name; may be nil.
/// - Returns: The data of a `sockaddr_in` or `sockaddr_in6` for each address. Nil if no address is
///   known, and `SCError()` is `kSCStatusOK`; nil for other targets, and it is `kSCStatusInvalidArgument`.
public func SCNetworkReachabilityCopyResolvedAddress(
    _ target: SCNetworkReachability, _ error_num: UnsafeMutablePointer<Int32>?
) -> CFArray? {
    guard target.endpoint.isName else {
        ThreadStatus.current = Int32(kSCStatusInvalidArgument)
        return nil
    }
    unsafe error_num?.pointee = 0
    ThreadStatus.current = Int32(kSCStatusOK)
    let addresses = target.scheduledPath?.addresses ?? []
    return addresses.isEmpty ? nil : NSArray(array: addresses.map(\.socketAddress))
}

/// Returns the index of the interface that packets to a target leave by.
///
/// - Parameter target: The target; if it is not scheduled it is queried, as by
///   `SCNetworkReachabilityGetFlags(_:_:)`.
/// - Returns: The index; -1 if the target is not reachable, or not without a connection to be
///   established.
public func SCNetworkReachabilityGetInterfaceIndex(_ target: SCNetworkReachability) -> Int32 {
    let index = ThreadStatus.value { () throws(StatusError) in try target.interfaceIndex() } ?? 0
    return index == 0 ? -1 : Int32(index)
}

extension Endpoint {
    fileprivate init(options: NSDictionary) throws(StatusError) {
        func value<Value>(_ key: CFString) throws(StatusError) -> Value? {
            guard let value = options.object(forKey: key) else { return nil }
            guard let value = value as? Value else { throw .invalidArgument }
            return value
        }
        func address(_ key: CFString) throws(StatusError) -> NetworkAddress? {
            guard let data: Data = try value(key) else { return nil }
            let address = unsafe data.withUnsafeBytes {
                unsafe try? NetworkAddress(sockaddr: $0)
            }
            guard let address else { throw .invalidArgument }
            return address
        }
        let name: String? = try value(kSCNetworkReachabilityOptionNodeName)
        let local = try address(kSCNetworkReachabilityOptionLocalAddress)
        let remote = try address(kSCNetworkReachabilityOptionRemoteAddress)
        let interface: String? = try value(kSCNetworkReachabilityOptionInterface)
        let bypassesResolver: Bool? = try value(kSCNetworkReachabilityOptionResolverBypass)
        let _: Bool? = try value(kSCNetworkReachabilityOptionConnectionOnDemandBypass)
        let _: Bool? = try value(kSCNetworkReachabilityOptionServerBypass)
        guard options.object(forKey: kSCNetworkReachabilityOptionPTRAddress) == nil else {
            throw .invalidArgument
        }
        if let name {
            guard local == nil, remote == nil else { throw .invalidArgument }
            try self.init(name: name)
        } else {
            try self.init(local: local, remote: remote)
        }
        if let interface {
            let index = unsafe if_nametoindex(interface)
            guard index != 0 else { throw .invalidArgument }
            scope(to: index)
        }
        if bypassesResolver == true { bypassResolver() }
    }
}

extension NetworkAddress {
    /// The data of a `sockaddr_in` or `sockaddr_in6`.
    fileprivate var socketAddress: Data {
        switch family {
        case .ipv4:
            var four = sockaddr_in()
            four.sin_family = sa_family_t(AF_INET)
            unsafe withUnsafeMutableBytes(of: &four.sin_addr) { unsafe $0.copyBytes(from: bytes) }
            return unsafe withUnsafeBytes(of: four) { unsafe Data($0) }
        case .ipv6:
            var six = sockaddr_in6()
            six.sin6_family = sa_family_t(AF_INET6)
            six.sin6_scope_id = scopeID
            unsafe withUnsafeMutableBytes(of: &six.sin6_addr) { unsafe $0.copyBytes(from: bytes) }
            return unsafe withUnsafeBytes(of: six) { unsafe Data($0) }
        }
    }
}
