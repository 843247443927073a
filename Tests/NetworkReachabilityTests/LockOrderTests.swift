// SPDX-License-Identifier: MIT

import Dispatch
import Foundation
import Testing

@testable import NetworkReachability

@Suite("The order of locks", .timeLimit(.minutes(10)))
struct LockOrderTests {
    /// In a process of its own: an inverted order deadlocks soon, and ThreadSanitizer reports it at once.
    @Test("Receiver, registry, hub, loop: whoever takes several locks takes them in this order")
    func order() async {
        await #expect(processExitsWith: .success) {
            alarm(240)
            let readings = Lock(0)
            // Without linger, each stop ends a hub. Each seventh reading fails, so the loop ends some, too.
            let options = MonitorOptions(
                etcRoot: "",
                fault: {
                    let number = readings.withLock { readings in
                        readings += 1
                        return readings
                    }
                    return number.isMultiple(of: 7) ? ReachabilityErrno(rawValue: EIO) : nil
                })
            let shared = try NetworkReachabilityManager(
                target: .address("127.0.0.1"), options: options)
            shared.addListener(queue: .global()) { _ in }
            let work: [@Sendable () throws -> Void] = [
                {
                    let own = try NetworkReachabilityManager(
                        target: .address("::1"), options: options)
                    try own.startMonitoring()
                    _ = try own.currentSnapshot()
                    own.stopMonitoring()
                },
                {
                    try shared.startMonitoring()
                    _ = try shared.currentSnapshot()
                },
                { shared.stopMonitoring() },
                {
                    let feed = InterfaceFeeds.current.add(.networkManager) { [] }
                    InterfaceFeeds.current.apply()
                    InterfaceFeeds.current.remove(feed)
                },
                {
                    let cancel = try MonitorHub.watchHost(of: .current, options: options) { _ in }
                    try MonitorHub.refresh(in: .current, options)
                    _ = try MonitorHub.statistics(in: .current, options)
                    cancel()
                },
            ]
            // After a failed reading, calls may throw.
            DispatchQueue.concurrentPerform(iterations: work.count) { worker in
                for _ in 0..<200 { try? work[worker]() }
            }
            #expect(readings.withLock { $0 } > 7)
        }
    }
}
