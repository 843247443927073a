// SPDX-License-Identifier: MIT

import AppleReachability
import Dispatch
import Foundation
import SwiftTestSupport
import Testing

@Suite("A child of fork()", .timeLimit(.minutes(10)))
struct ForkTests {
    /// The standard library's `Mutex` would trap in the child.
    @Test("Threads of a child may use a manager at the same time")
    func threads() async {
        await #expect(processExitsWith: .success) {
            let manager = AFNetworkReachabilityManager(forDomain: "127.0.0.1")
            // The thread's id is cached from here on.
            manager.setReachabilityStatusChange(nil)
            let child = fork {
                let isDone = DispatchSemaphore(value: 0)
                for _ in 0..<2 {
                    Thread.detachNewThread {
                        for _ in 0..<300_000 { manager.setReachabilityStatusChange { _ in } }
                        isDone.signal()
                    }
                }
                for _ in 0..<300_000 { manager.setReachabilityStatusChange { _ in } }
                let end = DispatchTime.now() + 60
                return (0..<2).allSatisfy { _ in isDone.wait(timeout: end) == .success } ? 0 : 1
            }
            precondition(wait(for: child) == 0)
        }
    }
}
