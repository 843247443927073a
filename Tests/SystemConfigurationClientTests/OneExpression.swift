// SPDX-License-Identifier: MIT

import Foundation
import SystemConfiguration

// Clients that write a socket address in one expression, with the initializers of Apple's systems.

/// The default path, as the zero address of IPv4.
func anyAddress() -> sockaddr_in {
    sockaddr_in(
        sin_len: UInt8(MemoryLayout<sockaddr_in>.size), sin_family: sa_family_t(AF_INET),
        sin_port: 0, sin_addr: in_addr(s_addr: 0), sin_zero: (0, 0, 0, 0, 0, 0, 0, 0))
}

/// Local Wi-Fi, as the number of the link-local network.
func localWiFiAddress() -> sockaddr_in {
    sockaddr_in(
        sin_len: UInt8(MemoryLayout<sockaddr_in>.size), sin_family: sa_family_t(AF_INET),
        sin_port: in_port_t(7).bigEndian,
        sin_addr: in_addr(s_addr: IN_LINKLOCALNETNUM.bigEndian),
        sin_zero: (0, 0, 0, 0, 0, 0, 0, 0))
}

/// An IPv6 address of this host.
func loopbackAddress() -> sockaddr_in6 {
    sockaddr_in6(
        sin6_len: UInt8(MemoryLayout<sockaddr_in6>.size), sin6_family: sa_family_t(AF_INET6),
        sin6_port: in_port_t(7).bigEndian, sin6_flowinfo: 0, sin6_addr: in6addr_loopback,
        sin6_scope_id: 0)
}

/// The default path, as a socket address with nothing but a family.
func bareAddress() -> sockaddr {
    sockaddr(
        sa_len: UInt8(MemoryLayout<sockaddr>.size), sa_family: sa_family_t(AF_INET),
        sa_data: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
}

/// A target for any of these addresses.
func makeTarget<Address>(_ address: Address) -> SCNetworkReachability? {
    withUnsafePointer(to: address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
            SCNetworkReachabilityCreateWithAddress(kCFAllocatorDefault, $0)
        }
    }
}

/// Schedules in the common modes of the main run loop by each name that sources use for them.
///
/// Then unschedules the target, and returns how many names worked.
// swift-format-ignore: NeverForceUnwrap
func schedulesByEachName(_ target: SCNetworkReachability) -> Int {
    guard let main = CFRunLoopGetMain() else { return 0 }
    // Results of functions may be ignored.
    var flags = SCNetworkReachabilityFlags()
    SCNetworkReachabilityGetFlags(target, &flags)
    SCNetworkReachabilityScheduleWithRunLoop(target, main, RunLoop.Mode.common as CFString)
    SCNetworkReachabilityScheduleWithRunLoop(target, main, CFRunLoopMode.commonModes!)
    SCNetworkReachabilityScheduleWithRunLoop(target, main, CFRunLoopMode.commonModes!.rawValue)
    SCNetworkReachabilityScheduleWithRunLoop(target, main, CFRunLoopMode.commonModes.rawValue)
    var count = 0
    // All names are the same mode, so any of them unschedules.
    while SCNetworkReachabilityUnscheduleFromRunLoop(
        target, main, RunLoop.Mode.common.rawValue as CFString)
    {
        count += 1
    }
    return count
}
