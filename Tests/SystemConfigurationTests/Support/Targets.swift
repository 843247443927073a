// SPDX-License-Identifier: MIT

import Foundation
import SystemConfiguration

/// An address in the form the C functions take.
struct SocketAddress {
    private var storage = sockaddr_storage()

    init(_ text: String) {
        var four = sockaddr_in()
        var six = sockaddr_in6()
        if unsafe inet_pton(AF_INET, text, &four.sin_addr) == 1 {
            four.sin_family = sa_family_t(AF_INET)
            store(four)
        } else if unsafe inet_pton(AF_INET6, text, &six.sin6_addr) == 1 {
            six.sin6_family = sa_family_t(AF_INET6)
            store(six)
        }
    }

    init(family: Int32) {
        storage.ss_family = sa_family_t(family)
    }

    private mutating func store<Address>(_ address: Address) {
        unsafe withUnsafeMutableBytes(of: &storage) {
            unsafe $0.storeBytes(of: address, as: Address.self)
        }
    }

    func withPointer<Result>(_ body: (UnsafePointer<sockaddr>) -> Result) -> Result {
        unsafe withUnsafePointer(to: storage) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { unsafe body($0) }
        }
    }

    var target: SCNetworkReachability? {
        unsafe withPointer { unsafe SCNetworkReachabilityCreateWithAddress(nil, $0) }
    }
}

func pair(_ local: SocketAddress?, _ remote: SocketAddress?) -> SCNetworkReachability? {
    switch (local, remote) {
    case (nil, nil): SCNetworkReachabilityCreateWithAddressPair(nil, nil, nil)
    case (let local?, nil):
        unsafe local.withPointer { unsafe SCNetworkReachabilityCreateWithAddressPair(nil, $0, nil) }
    case (nil, let remote?):
        unsafe remote.withPointer {
            unsafe SCNetworkReachabilityCreateWithAddressPair(nil, nil, $0)
        }
    case (let local?, let remote?):
        unsafe local.withPointer { local in
            unsafe remote.withPointer { remote in
                unsafe SCNetworkReachabilityCreateWithAddressPair(nil, local, remote)
            }
        }
    }
}

func flags(of target: SCNetworkReachability) -> SCNetworkReachabilityFlags? {
    var flags = SCNetworkReachabilityFlags()
    return unsafe SCNetworkReachabilityGetFlags(target, &flags) ? flags : nil
}

/// Schedules a target on a run loop.
func schedules(_ target: SCNetworkReachability, _ loop: CFRunLoop, _ mode: String) -> Bool {
    SCNetworkReachabilityScheduleWithRunLoop(target, loop, mode as CFString)
}

/// Unschedules a target from a run loop.
func unschedules(_ target: SCNetworkReachability, _ loop: CFRunLoop, _ mode: String) -> Bool {
    SCNetworkReachabilityUnscheduleFromRunLoop(target, loop, mode as CFString)
}
