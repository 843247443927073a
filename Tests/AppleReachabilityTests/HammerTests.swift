// SPDX-License-Identifier: MIT

import Foundation
import Synchronization
import Testing

@testable import AppleReachability
@testable import NetworkReachability

/// Everything at once, for ThreadSanitizer.
@Suite("Starting, stopping and letting go from many threads", .timeLimit(.minutes(10)))
struct HammerTests {
    @Test("thousands of AFNetworkReachabilityManagers whose blocks stop and release them")
    func managers() async throws {
        let count = 2000
        let managers = Shared<[Int: AFNetworkReachabilityManager]>([:])
        let done = Recorder<Int>()
        await withTaskGroup { group in
            for task in 0..<8 {
                group.addTask {
                    for number in stride(from: task, to: count, by: 8) {
                        let manager = AFNetworkReachabilityManager(options: testOptions) {
                            () throws(ReachabilityError) in try .address("127.0.0.1")
                        }
                        managers.value.withLock { $0[number] = manager }
                        manager.setReachabilityStatusChange { status in
                            guard
                                let manager = managers.value.withLock({
                                    $0.removeValue(forKey: number)
                                })
                            else { return }
                            manager.stopMonitoring()
                            manager.setReachabilityStatusChange(nil)
                            done.record(number)
                        }
                        manager.startMonitoring()
                        // Lets go of others while they deliver.
                        AFNetworkReachabilityManager(options: testOptions) { .internet }
                            .startMonitoring()
                    }
                }
            }
        }
        var seen: Set<Int> = []
        while seen.count < count, let number = await done.next() { seen.insert(number) }
        #expect(managers.value.withLock { $0.isEmpty })
    }

    @Test("one manager that all threads start and stop still works afterwards")
    func oneManager() async throws {
        let manager = AFNetworkReachabilityManager(options: testOptions) {
            () throws(ReachabilityError) in try .address("127.0.0.1")
        }
        await withTaskGroup { group in
            for task in 0..<8 {
                group.addTask {
                    for round in 0..<100 {
                        switch (task + round) % 4 {
                        case 0: manager.startMonitoring()
                        case 1: manager.stopMonitoring()
                        case 2:
                            manager.setReachabilityStatusChange { _ in manager.stopMonitoring() }
                        default: _ = manager.isReachable
                        }
                    }
                }
            }
        }
        manager.stopMonitoring()
        let last = Recorder<AFNetworkReachabilityStatus>()
        manager.setReachabilityStatusChange { last.record($0) }
        manager.startMonitoring()
        #expect(await last.next() == .reachableViaWiFi)
        manager.setReachabilityStatusChange(nil)
    }

    @Test("Reachability objects on run loops that end, started and stopped from anywhere")
    func runLoops() async throws {
        let shared = try Reachability(
            target: .address("127.0.0.1"), isLocalWiFi: false, options: testOptions)
        await withTaskGroup { group in
            for task in 0..<6 {
                group.addTask {
                    for _ in 0..<10 {
                        let loop = RunLoopThread()
                        for round in 0..<20 {
                            await step(task + round, loop, shared)
                        }
                        await loop.end()
                    }
                }
            }
        }
        shared.stopNotifier()
        #expect(shared.currentReachabilityStatus() == ReachableViaWiFi)
    }

    func step(_ number: Int, _ loop: RunLoopThread, _ shared: Reachability) async {
        switch number % 5 {
        case 0: await loop.perform { shared.startNotifier() }
        case 1: shared.stopNotifier()
        case 2:
            // Told at once, since it is a name, and released by its own block.
            let owner = Shared(
                try? Reachability(
                    target: .domain("localhost"), isLocalWiFi: false, options: testOptions))
            let told = Recorder<Bool>()
            owner.value.withLock { $0 }?.reachableBlock = { reachability in
                reachability.stopNotifier()
                owner.value.withLock { $0 = nil }
                told.record(true)
            }
            owner.value.withLock { $0 }?.unreachableBlock = { _ in }
            await loop.perform { owner.value.withLock { $0 }?.startNotifier() }
            _ = await told.next()
        case 3: await Feed(shared.core).send(number.isMultiple(of: 2) ? [] : .wwan)
        default: _ = shared.isReachable()
        }
    }
}
