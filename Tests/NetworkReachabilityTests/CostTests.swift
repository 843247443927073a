// SPDX-License-Identifier: MIT

import Dispatch
import Foundation
import Synchronization
import Testing

@testable import NetworkReachability

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Each test runs in its own process, where nothing else has threads and descriptors.
@Suite("Costs for the process", .timeLimit(.minutes(10)))
struct CostTests {
    @Test(
        "3,000 starts and stops beside busy threads never fail, and need few threads and descriptors"
    )
    func startsAndStops() async {
        await #expect(processExitsWith: .success) {
            limitDescriptors(to: 1024)
            let isOver = Mutex(false)
            for _ in 0..<2 {
                Thread.detachNewThread { while !isOver.withLock({ $0 }) {} }
            }
            let options = MonitorOptions(
                etcRoot: "", resolver: { _ in [] }, linger: 5_000_000_000)
            let target = try ReachabilityTarget.domain("name.test")
            var most = (descriptors: 0, threads: 0)
            for round in 0..<3000 {
                let manager = try NetworkReachabilityManager(target: target, options: options)
                manager.addListener(queue: .global()) { _ in }
                try manager.startMonitoring()
                if round % 10 == 0 {
                    most.descriptors = max(most.descriptors, descriptorCount())
                    most.threads = max(most.threads, threadNames().count)
                }
                manager.stopMonitoring()
            }
            isOver.withLock { $0 = true }
            precondition(most.descriptors < 100, "\(most)")
            precondition(most.threads < 45, "\(most)")
        }
    }

    /// A timer with its own queue would take a thread, which ends only seconds later.
    @Test("3,000 waits with a timeout, one after the other, need no more than 32 threads")
    func timeouts() async {
        await #expect(processExitsWith: .success) {
            let manager = NetworkReachabilityManager()
            for _ in 0..<3000 {
                _ = try await manager.wait(timeout: .seconds(1000)) { _ in true }
            }
            let threads = threadNames().count
            precondition(threads <= 32, "\(threads)")
        }
    }

    @Test("Managers in 50 namespaces share the threads of one loop", .needsNamespaces)
    func namespaces() async {
        await #expect(processExitsWith: .success) {
            let namespaces = try (0..<50).map { _ in try Namespace() }
            let queue = DispatchQueue.test()
            let told = Recorder<Int>()
            let loopback = NetworkReachabilityManager(address: try NetworkAddress("127.0.0.1"))
            loopback.addListener(queue: queue) { _ in told.record(-1) }
            try loopback.startMonitoring()
            await told.next()
            // Ten callbacks don't return.
            let blocked = DispatchSemaphore(value: 0)
            let managers = try namespaces.enumerated().map { number, namespace in
                let target = try ReachabilityTarget.address("127.0.0.1")
                    .with(namespace: .path(namespace.path))
                let manager = try NetworkReachabilityManager(target: target)
                manager.addListener(queue: .test("\(number)")) { _ in
                    told.record(number)
                    if number < 10 { blocked.wait() }
                }
                try manager.startMonitoring()
                return manager
            }
            for _ in managers { await told.next() }
            let threads = threadNames().count { $0 == "reach-monitor" }
            #if compiler(>=6.3)
            let blockedWorkers = 0
            #else
            // The ten workers of libdispatch that are blocked inherit the name.
            let blockedWorkers = 10
            #endif
            precondition((2...8).contains(threads - blockedWorkers), "\(threads)")
            for _ in 0..<10 { blocked.signal() }
            for manager in managers { manager.stopMonitoring() }
        }
    }
}
