// SPDX-License-Identifier: MIT

import Foundation
import SystemConfiguration

/// A client of the kind that lives on a run loop, with itself as unretained info.
final class RunLoopNotifier {
    private let reachability: SCNetworkReachability
    private var loop: CFRunLoop?
    private let onChange: (SCNetworkReachabilityFlags) -> Void

    init?(address: String, onChange: @escaping (SCNetworkReachabilityFlags) -> Void) {
        var remote = sockaddr_in()
        remote.sin_len = UInt8(MemoryLayout.size(ofValue: remote))
        remote.sin_family = sa_family_t(AF_INET)
        guard inet_pton(AF_INET, address, &remote.sin_addr) == 1 else { return nil }
        let made = withUnsafePointer(to: &remote) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                SCNetworkReachabilityCreateWithAddress(kCFAllocatorDefault, $0)
            }
        }
        guard let reachability = made else { return nil }
        self.reachability = reachability
        self.onChange = onChange
    }

    deinit {
        stop()
    }

    func start() -> Bool {
        var context = SCNetworkReachabilityContext(
            version: 0, info: nil, retain: nil, release: nil, copyDescription: nil)
        context.info = UnsafeMutableRawPointer(Unmanaged.passUnretained(self).toOpaque())
        let isSet = SCNetworkReachabilitySetCallback(
            reachability,
            { (_, flags, info) in
                guard let info = info else { return }
                Unmanaged<RunLoopNotifier>.fromOpaque(info).takeUnretainedValue().onChange(flags)
            }, &context)
        loop = CFRunLoopGetCurrent()
        return isSet
            && SCNetworkReachabilityScheduleWithRunLoop(
                reachability, CFRunLoopGetCurrent(), CFRunLoopMode.defaultMode.rawValue)
    }

    func stop() {
        guard let loop = loop else { return }
        SCNetworkReachabilityUnscheduleFromRunLoop(
            reachability, loop, CFRunLoopMode.defaultMode.rawValue)
        self.loop = nil
    }
}

/// Checks a host once, with the oldest names.
func canReach(host: String) -> Bool {
    var known = SCNetworkReachabilityFlags()
    guard let target = SCNetworkReachabilityCreateWithName(nil, host),
        SCNetworkReachabilityGetFlags(target, &known)
    else { return false }
    let flags: SCNetworkConnectionFlags = known.rawValue
    return flags & UInt32(kSCNetworkFlagsReachable) != 0
        && flags & UInt32(kSCNetworkFlagsConnectionRequired) == 0
}

/// The last error, as command-line tools print it.
func lastErrorText() -> String {
    let error: CFError = SCCopyLastError()
    return "\(String(cString: SCErrorString(SCError()))) (\(error.code), \(error.domain))"
}
