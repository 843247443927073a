// SPDX-License-Identifier: MIT

// Sources for Apple's systems may import the header as a submodule. A Swift module has no submodules,
// so sources import declarations here (`import class SystemConfiguration.SCNetworkReachability`).
import class SystemConfiguration.SCNetworkReachability
import func SystemConfiguration.SCNetworkReachabilityCreateWithName
import func SystemConfiguration.SCNetworkReachabilityGetFlags
import struct SystemConfiguration.SCNetworkReachabilityFlags

/// The flags of a host, read once.
func scopedFlags(host: String) -> SCNetworkReachabilityFlags? {
    let target: SCNetworkReachability? = SCNetworkReachabilityCreateWithName(nil, host)
    guard let target = target else { return nil }
    var flags = SCNetworkReachabilityFlags()
    return SCNetworkReachabilityGetFlags(target, &flags) ? flags : nil
}
