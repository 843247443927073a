// SPDX-License-Identifier: MIT

#if canImport(SystemConfiguration)
import SystemConfiguration

/// Whether a packet could leave for a host.
public func canReach(host: String) -> Bool? {
    guard let target = SCNetworkReachabilityCreateWithName(nil, host) else { return nil }
    var flags: SCNetworkReachabilityFlags = []
    guard SCNetworkReachabilityGetFlags(target, &flags) else { return nil }
    return flags.contains(.reachable) && !flags.contains(.connectionRequired)
}
#else
/// Unknown: this system has no SystemConfiguration.
public func canReach(host: String) -> Bool? { nil }
#endif
