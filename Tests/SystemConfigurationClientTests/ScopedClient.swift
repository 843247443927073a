// SPDX-License-Identifier: MIT

// What sources that name the header as a submodule (`import SystemConfiguration.SCNetworkReachability`)
// can write here: a module of Swift has declarations and no submodules.
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
