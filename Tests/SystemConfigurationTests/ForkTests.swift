// SPDX-License-Identifier: MIT

import Dispatch
import Foundation
import SwiftTestSupport
import SystemConfiguration
import Testing

@Suite("A child of fork()", .timeLimit(.minutes(10)))
struct ForkTests {
    /// The standard library's `Mutex` would trap in the child.
    @Test("Threads of a child may use a target at the same time")
    func threads() async {
        await #expect(processExitsWith: .success) {
            guard let target = unsafe SCNetworkReachabilityCreateWithName(nil, "127.0.0.1") else {
                fatalError("no target")
            }
            // The thread's id is cached from here on.
            SCNetworkReachabilitySetDispatchQueue(target, nil)
            let child = fork(atRest: true) {
                let isDone = DispatchSemaphore(value: 0)
                Thread.detachNewThread {
                    for _ in 0..<200_000 { SCNetworkReachabilitySetDispatchQueue(target, nil) }
                    isDone.signal()
                }
                for _ in 0..<200_000 { SCNetworkReachabilitySetDispatchQueue(target, nil) }
                return isDone.wait(timeout: .now() + 120) == .success ? 0 : 1
            }
            precondition(wait(for: child) == 0)
        }
    }
}
