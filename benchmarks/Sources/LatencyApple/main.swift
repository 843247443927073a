// SPDX-License-Identifier: MIT
// Contenders of Harness/latency.c with Apple's names, which need Foundation. latency.c starts this like
// LatencyListener.

import AppleReachability
import BareThread
import CBoard
import Foundation
import SystemConfiguration

guard CommandLine.arguments.count == 3, let number = CInt(CommandLine.arguments[1]),
    let board = board_map(number)
else {
    print("usage: LatencyApple DESCRIPTOR MODE, as Harness/latency.c starts it")
    exit(64)
}

/// The board may be used from any thread.
nonisolated(unsafe) let shared = board

func makeAddress() -> sockaddr_in {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    inet_pton(AF_INET, BOARD_TARGET, &address.sin_addr)
    return address
}

/// A target with a callback, which only changes call; `postFlags` posts the first flags.
func makeTarget() -> SCNetworkReachability {
    let target = withUnsafePointer(to: makeAddress()) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
            SCNetworkReachabilityCreateWithAddress(nil, $0)
        }
    }
    guard let target else { fatalError("no target") }
    SCNetworkReachabilitySetCallback(
        target, { _, flags, _ in board_post(shared, flags.contains(.reachable)) }, nil)
    return target
}

func postFlags(of target: SCNetworkReachability) {
    var flags = SCNetworkReachabilityFlags()
    guard SCNetworkReachabilityGetFlags(target, &flags) else { fatalError("no flags") }
    board_post(shared, flags.contains(.reachable))
}

var address = makeAddress()
let manager = AFNetworkReachabilityManager(forAddress: &address)
let target = makeTarget()
switch CommandLine.arguments[2] {
case "sc-queue":
    SCNetworkReachabilitySetDispatchQueue(target, DispatchQueue(label: "LatencyApple"))
    postFlags(of: target)
case "sc-runloop":
    SCNetworkReachabilityScheduleWithRunLoop(target, CFRunLoopGetMain(), kCFRunLoopDefaultMode)
    postFlags(of: target)
case "bare-runloop":
    startBareThread { isReachable in
        DispatchQueue.main.async { board_post(shared, isReachable) }
    }
default:
    manager.setReachabilityStatusChange { board_post(shared, $0 == .reachableViaWiFi) }
    manager.startMonitoring()
}
RunLoop.main.run()
