// SPDX-License-Identifier: MIT

// A client's program, for run.sh and the tests. It prints the four status texts in the user's
// language, and then what both families report for loopback on the main run loop.

import AppleReachability
import Foundation

for status in [
    AFNetworkReachabilityStatus.notReachable, .reachableViaWWAN, .reachableViaWiFi, .unknown,
] {
    print(AFStringFromNetworkReachabilityStatus(status))
}

let manager = AFNetworkReachabilityManager(forDomain: "127.0.0.1")
let observer = NotificationCenter.default.addObserver(
    forName: .AFNetworkingReachabilityDidChange, object: manager, queue: nil
) { notification in
    let item = notification.userInfo?[AFNetworkingReachabilityNotificationStatusItem]
    print(manager.localizedNetworkReachabilityStatusString(), item ?? "-")
    exit(report(Reachability(hostName: "127.0.0.1")) ? 0 : 1)
}
manager.startMonitoring()
RunLoop.main.run()

func report(_ reachability: Reachability?) -> Bool {
    guard let reachability, reachability.startNotifier() else { return false }
    print(reachability.currentReachabilityStatus(), reachability.currentReachabilityString())
    return reachability.currentReachabilityStatus() == ReachableViaWiFi
}
