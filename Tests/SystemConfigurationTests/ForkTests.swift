// SPDX-License-Identifier: MIT

import Dispatch
import Foundation
import SwiftTestSupport
import SystemConfiguration
import Testing

@Suite("A child of fork()", .timeLimit(.minutes(10)))
struct ForkTests {
    @Test("Threads of a child may use a target at the same time")
    func threads() async {
        await #expect(processExitsWith: .success) {
            guard let target = unsafe SCNetworkReachabilityCreateWithName(nil, "127.0.0.1") else {
                fatalError("no target")
            }
            SCNetworkReachabilitySetDispatchQueue(target, nil)
            runInThreadsOfChild { SCNetworkReachabilitySetDispatchQueue(target, nil) }
        }
    }
}
