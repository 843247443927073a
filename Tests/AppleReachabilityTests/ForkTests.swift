// SPDX-License-Identifier: MIT

import AppleReachability
import Dispatch
import Foundation
import SwiftTestSupport
import Testing

@Suite("A child of fork()", .timeLimit(.minutes(10)))
struct ForkTests {
    @Test("Threads of a child may use a manager at the same time")
    func threads() async {
        await #expect(processExitsWith: .success) {
            let manager = AFNetworkReachabilityManager(forDomain: "127.0.0.1")
            manager.setReachabilityStatusChange(nil)
            runInThreadsOfChild { manager.setReachabilityStatusChange { _ in } }
        }
    }
}
