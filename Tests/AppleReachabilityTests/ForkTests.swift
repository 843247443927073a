// SPDX-License-Identifier: MIT

import AppleReachability
import Dispatch
import Foundation
import SwiftTestSupport
import Testing

@Suite("A child of fork()", .timeLimit(.minutes(2)))
struct ForkTests {
    /// `Mutex` of the standard library would end the child here.
    @Test("its threads may use a manager at the same time")
    func threads() async {
        await #expect(processExitsWith: .success) {
            let manager = AFNetworkReachabilityManager(forDomain: "127.0.0.1")
            let child = fork {
                let isDone = DispatchSemaphore(value: 0)
                Thread.detachNewThread {
                    for _ in 0..<200_000 { manager.setReachabilityStatusChange(nil) }
                    isDone.signal()
                }
                for _ in 0..<200_000 { manager.setReachabilityStatusChange(nil) }
                return isDone.wait(timeout: .now() + 60) == .success ? 0 : 1
            }
            precondition(wait(for: child) == 0)
        }
    }
}
