// SPDX-License-Identifier: MIT
// Counts the allocations of the forms with Apple's names, which need Foundation, like Allocations.

import AllocationCounter
import AppleReachability
import Foundation
import SystemConfiguration

guard CommandLine.arguments.count == 2, ["af", "sc"].contains(CommandLine.arguments[1]) else {
    print("usage: AllocationsApple af|sc")
    exit(64)
}
let socket = enterNamespace()
let told = DispatchSemaphore(value: 0)
var address = sockaddr_in()
address.sin_family = sa_family_t(AF_INET)
inet_pton(AF_INET, "192.0.2.1", &address.sin_addr)

let manager = AFNetworkReachabilityManager(forAddress: &address)
let target = withUnsafePointer(to: address) {
    $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        SCNetworkReachabilityCreateWithAddress(nil, $0)
    }
}
guard let target else { fatalError("no target") }
if CommandLine.arguments[1] == "sc" {
    SCNetworkReachabilitySetCallback(target, { _, _, _ in told.signal() }, nil)
    SCNetworkReachabilitySetDispatchQueue(target, DispatchQueue(label: "AllocationsApple"))
    // Only changes call the callback.
    told.signal()
} else {
    manager.setReachabilityStatusChange { _ in told.signal() }
    manager.startMonitoring()
}
DispatchQueue(label: "AllocationsApple.changes").async {
    countAllocations(socket: socket) { told.wait() }
}
RunLoop.main.run()
