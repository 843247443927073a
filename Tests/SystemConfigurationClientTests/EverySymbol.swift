// SPDX-License-Identifier: MIT

import Foundation
import SystemConfiguration

// Each symbol that the other clients leave out, in the forms that sources for Apple's systems use.

/// A callback that is a function and not a closure.
func recordsFlags(
    target: SCNetworkReachability, flags: SCNetworkReachabilityFlags, info: UnsafeMutableRawPointer?
) {
    guard let info = info else { return }
    Unmanaged<FlagsBox>.fromOpaque(info).takeUnretainedValue().flags = flags
}

/// The object that the callback receives, which belongs to the target and is released by it.
final class FlagsBox {
    var flags: SCNetworkReachabilityFlags = []
    let onRelease: () -> Void

    init(onRelease: @escaping () -> Void) {
        self.onRelease = onRelease
    }

    deinit {
        onRelease()
    }
}

/// A client that hands its box over instead of lending it, and schedules on the main run loop.
final class HandingOver {
    private let target: SCNetworkReachability
    private let modes: [CFRunLoopMode] = [.commonModes, .defaultMode]

    init?(from local: String, to remote: String) {
        func address(_ text: String) -> sockaddr_in? {
            var address = sockaddr_in()
            address.sin_len = UInt8(MemoryLayout<sockaddr_in>.size)
            address.sin_family = sa_family_t(AF_INET)
            return inet_aton(text, &address.sin_addr) == 1 ? address : nil
        }
        guard var local = address(local), var remote = address(remote) else { return nil }
        let target: SCNetworkReachability? = withUnsafePointer(to: &local) { local in
            withUnsafePointer(to: &remote) { remote in
                local.withMemoryRebound(to: sockaddr.self, capacity: 1) { local in
                    remote.withMemoryRebound(to: sockaddr.self, capacity: 1) { remote in
                        SCNetworkReachabilityCreateWithAddressPair(
                            kCFAllocatorDefault, local, remote)
                    }
                }
            }
        }
        guard let target = target else { return nil }
        self.target = target
    }

    func start(onRelease: @escaping () -> Void) -> Bool {
        let box = FlagsBox(onRelease: onRelease)
        var context = SCNetworkReachabilityContext()
        context.info = Unmanaged.passRetained(box).toOpaque()
        context.release = { Unmanaged<FlagsBox>.fromOpaque($0).release() }
        return SCNetworkReachabilitySetCallback(target, recordsFlags, &context)
            && modes.allSatisfy {
                SCNetworkReachabilityScheduleWithRunLoop(target, CFRunLoopGetMain(), $0.rawValue)
            }
    }

    func stop() -> Bool {
        let isStopped = modes.allSatisfy {
            SCNetworkReachabilityUnscheduleFromRunLoop(target, CFRunLoopGetMain(), $0.rawValue)
        }
        return SCNetworkReachabilitySetCallback(target, nil, nil) && isStopped
    }

    var isLocal: Bool {
        var flags = SCNetworkReachabilityFlags(rawValue: 0)
        if !SCNetworkReachabilityGetFlags(target, &flags) { return false }
        return !flags.intersection([.isLocalAddress, .isDirect]).isEmpty
            && (flags.rawValue & UInt32(kSCNetworkFlagsReachable)) != 0
    }
}

/// Checks an address once, and returns its flags or what is wrong with it.
func describeReach(of address: inout sockaddr) -> String {
    var flags = SCNetworkReachabilityFlags()
    if let target = SCNetworkReachabilityCreateWithAddress(nil, &address),
        SCNetworkReachabilityGetFlags(target, &flags)
    {
        return "\(SCNetworkConnectionFlags(flags.rawValue))"
    }
    let error = SCCopyLastError() as Error as NSError
    guard error.domain == kCFErrorDomainSystemConfiguration as String,
        error.code == kSCStatusInvalidArgument, SCError() == Int32(kSCStatusInvalidArgument)
    else { return "?" }
    return String(cString: SCErrorString(Int32(error.code)))
}

/// Whether targets can be told from other types and from each other.
func canCompare() -> Bool {
    let targets = (0..<2).compactMap { _ in
        SCNetworkReachabilityCreateWithName(kCFAllocatorDefault, "127.0.0.1")
    }
    return Set(targets).count == 2 && SCNetworkReachabilityGetTypeID() != CFStringGetTypeID()
}
