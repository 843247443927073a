// SPDX-License-Identifier: MIT

import Dispatch
import Foundation
import Synchronization
import Testing

@testable import NetworkReachability

/// Tests on the machine's own kernel, with targets that don't depend on its network.
@Suite("The shared monitor", .timeLimit(.minutes(10)))
struct MonitorTests {
    let closed = Recorder<Void>()
    let options: MonitorOptions

    init() {
        let closed = closed
        options = MonitorOptions(
            etcRoot: "",
            resolver: { name in
                switch name {
                case "here.test": (try? [NetworkAddress("127.0.0.1")]) ?? []
                case "both.test": (try? [NetworkAddress("::1"), NetworkAddress("127.0.0.1")]) ?? []
                default: []
                }
            }, onClose: { closed.record(()) })
    }

    func manager(_ target: ReachabilityTarget) throws -> NetworkReachabilityManager {
        try NetworkReachabilityManager(target: target, options: options)
    }

    /// A manager whose target is reachable on every machine with an active loopback interface.
    func loopback() throws -> NetworkReachabilityManager {
        try manager(.address("127.0.0.1"))
    }

    @Test(
        "Loopback is reachable, local, and over the loopback interface",
        arguments: ["127.0.0.1", "::1"])
    func loopback(address: String) async throws {
        let manager = try manager(.address(address))
        var snapshots = manager.snapshots.makeAsyncIterator()
        let snapshot = try #require(try await snapshots.next())
        // A container may have no IPv6.
        guard snapshot.status == .reachableViaWiFi else {
            #expect(address == "::1" && snapshot.reason.isFailure)
            return
        }
        #expect(snapshot.flags == [.reachable, .isLocalAddress])
        #expect(snapshot.interface?.interfaceClass == .loopback && snapshot.interface?.name == "lo")
        #expect(snapshot.resolution == .notAName && snapshot.addresses.isEmpty)
        #expect(try manager.currentSnapshot() == snapshot)
    }

    /// In its own process, where no other monitor is unused: of more than four the oldest ends early.
    @Test(
        "A name is unknown until it is resolved, and is then known for a while after its last use")
    func namesInUse() async {
        await #expect(processExitsWith: .success) {
            // Open for all waiters, since a change of the machine's network resolves the name again.
            let mayAnswer = DispatchGroup()
            let held = Lock("slow.test")
            let options = MonitorOptions(
                etcRoot: "",
                resolver: { name in
                    if held.withLock({ $0 }) == name { mayAnswer.wait() }
                    return ["127.0.0.1", "::1"].compactMap { try? NetworkAddress($0) }
                }, linger: 3_600_000_000_000)
            func manager(_ name: String) throws -> NetworkReachabilityManager {
                try NetworkReachabilityManager(target: .domain(name), options: options)
            }
            let told = Recorder<ReachabilitySnapshot>()
            func startHeld(_ manager: NetworkReachabilityManager) async throws {
                mayAnswer.enter()
                manager.addListener(queue: .test()) { told.record($0) }
                try manager.startMonitoring()
                let first = try #require(await told.next())
                #expect(first.status == .unknown && "\(first)" == "Unknown (resolving)")
                held.withLock { $0 = "" }
                mayAnswer.leave()
                #expect(await told.next()?.status == .reachableViaWiFi)
                manager.stopMonitoring()
            }
            let slow = try manager("slow.test")
            try await startHeld(slow)
            // The answer serves the next start, until 16 other names were in use.
            for number in 0..<16 {
                try await manager("\(number).test").waitUntilReachable()
                guard number == 14 else { continue }
                try slow.startMonitoring()
                #expect(await told.next()?.status == .reachableViaWiFi)
                slow.stopMonitoring()
            }
            held.withLock { $0 = "0.test" }
            try await startHeld(manager("0.test"))
        }
    }

    @Test("At most 16 former names stay in a monitor, the latest ones")
    func formerNames() {
        var names = NamesInUse()
        for id in UInt64(1)...20 { names.insert(id) }
        #expect((1...20).flatMap { names.retire($0) } == [1, 2, 3, 4])
        #expect(names.retire(21) == [21])
        #expect(names.forget() == Array(5...20) && !names.hasFormer)
    }

    /// In its own process, where no other monitor is unused.
    @Test("An unused monitor is closed when its time is over, or if more than four are unused")
    func unused() async {
        await #expect(processExitsWith: .success) {
            let closed = Recorder<Int>()
            func use(_ number: Int, linger: UInt64) throws {
                let options = MonitorOptions(linger: linger, onClose: { closed.record(number) })
                let manager = try NetworkReachabilityManager(
                    target: .address("127.0.0.1"), options: options)
                try manager.startMonitoring()
                manager.stopMonitoring()
            }
            try use(0, linger: 200_000_000)
            // A job takes the timer for itself.
            await inLoop()
            let first = await closed.next()
            precondition(first == 0)
            for number in 1...4 { try use(number, linger: 3_600_000_000_000) }
            for _ in 0..<2 { await inLoop() }
            precondition(closed.values == [0])
            for number in 5...6 { try use(number, linger: 3_600_000_000_000) }
            var oldest: Set<Int?> = []
            for _ in 0..<2 { oldest.insert(await closed.next()) }
            precondition(oldest == [1, 2])
        }
    }

    /// In its own process, whose limit of descriptors is its own.
    @Test("A monitor that nobody uses any more gives its descriptors to a new one")
    func unusedDescriptors() async {
        await #expect(processExitsWith: .success) {
            func start() async throws -> NetworkReachabilityManager {
                let manager = try NetworkReachabilityManager(
                    target: .address("127.0.0.1"),
                    options: MonitorOptions(etcRoot: "", linger: 3_600_000_000_000))
                let told = Recorder<ReachabilitySnapshot>()
                manager.addListener(queue: .test()) { told.record($0) }
                try manager.startMonitoring()
                #expect(await told.next()?.status == .reachableViaWiFi)
                return manager
            }
            let first = try await start()
            // Until then, the loop may hold the monitor.
            for _ in 0..<2 { await inLoop() }
            first.stopMonitoring()
            // Room for one descriptor: a monitor needs more.
            let last = try #require((0..<1024).last { fcntl($0, F_GETFD) >= 0 })
            limitDescriptors(to: rlim_t(last) + 2)
            _ = try await start()
        }
    }

    /// Options of a monitor that fails a number of times before it works.
    private func failing(_ errno: ReachabilityErrno, times: Int) -> MonitorOptions {
        let left = Mutex(times)
        return MonitorOptions(
            etcRoot: "",
            fault: {
                left.withLock { left in
                    guard left > 0 else { return nil }
                    left -= 1
                    return errno
                }
            })
    }

    @Test("A monitor that fails for lack of memory is retried")
    func outOfMemory() async throws {
        let manager = try NetworkReachabilityManager(
            target: .address("127.0.0.1"), options: failing(.outOfMemory, times: 3))
        var snapshots = manager.snapshots.makeAsyncIterator()
        #expect(try await snapshots.next()?.flags == [.reachable, .isLocalAddress])
    }

    @Test("If a monitor fails for another reason, a sequence throws its error")
    func failure() async throws {
        let manager = try NetworkReachabilityManager(
            target: .address("127.0.0.1"), options: failing(.invalidArgument, times: 1))
        let error = await #expect(throws: ReachabilityError.self) {
            for try await _ in manager.snapshots {}
        }
        #expect(error?.errno == .invalidArgument)
        // Another start opens another monitor.
        var snapshots = manager.snapshots.makeAsyncIterator()
        #expect(try await snapshots.next()?.flags == [.reachable, .isLocalAddress])
    }

    @Test("currentSnapshot() works without monitoring, and does not start it")
    func synchronous() throws {
        let manager = try loopback()
        #expect(try manager.currentSnapshot().flags == [.reachable, .isLocalAddress])
        #expect(!manager.isMonitoring && manager.networkReachabilityStatus == .unknown)
    }

    @Test("A name is resolved, and is unreachable if it has no address")
    func names() async throws {
        let good = try manager(.domain("here.test", policy: .strict))
        let snapshot = try await final(good)
        #expect(snapshot?.flags == [.reachable, .isLocalAddress])
        #expect(snapshot?.addresses.map(\.description) == ["127.0.0.1"])
        let bad = try await final(try manager(.domain("nowhere.test")))
        #expect(bad?.status == .notReachable && bad?.reason == .noAddress)
    }

    func final(_ manager: NetworkReachabilityManager) async throws -> ReachabilitySnapshot? {
        for try await snapshot in manager.snapshots where snapshot.resolution == .done {
            return snapshot
        }
        return nil
    }

    @Test("200 managers share one monitor, which is closed with the last of them")
    func shared() async throws {
        let queue = DispatchQueue.test()
        let recorder = Recorder<Int>()
        var managers: [NetworkReachabilityManager] = []
        for number in 0..<200 {
            let manager = try loopback()
            manager.addStatusListener(queue: queue) { status in
                if status == .reachableViaWiFi { recorder.record(number) }
            }
            try manager.startMonitoring()
            managers.append(manager)
        }
        let all = Mutex<Set<Int>>([])
        _ = await recorder.first { number in
            all.withLock { seen in
                seen.insert(number)
                return seen.count == 200
            }
        }
        #expect(closed.values.isEmpty)
        for manager in managers.dropLast() { manager.stopMonitoring() }
        await inLoop()
        #expect(closed.values.isEmpty)
        managers.removeAll()
        _ = await closed.first { true }
        await inLoop()
        #expect(closed.values.count == 1)
    }

    @Test("After each start, a callback receives the current value exactly once")
    func restarts() async throws {
        let manager = try loopback()
        let queue = DispatchQueue.test()
        let recorder = Recorder<NetworkReachabilityStatus>()
        manager.setReachabilityStatusChangeBlock(queue: queue) { recorder.record($0) }
        for count in 1...20 {
            try manager.startMonitoring()
            try manager.startMonitoring()
            #expect(await recorder.first { _ in true } == .reachableViaWiFi)
            manager.stopMonitoring()
            manager.stopMonitoring()
            #expect(recorder.values.count == count && manager.isReachable)
        }
    }

    @Test("A listener that does not return delays no other listener, and keeps no monitor open")
    func blockedListener() async throws {
        let queue = DispatchQueue.test()
        let entered = Recorder<Void>()
        let release = DispatchSemaphore(value: 0)
        let blocked = try loopback()
        blocked.addListener(queue: queue) { _ in
            entered.record(())
            release.wait()
        }
        try blocked.startMonitoring()
        await entered.next()
        for _ in 0..<3 {
            var statuses = try loopback().statuses.makeAsyncIterator()
            #expect(try await statuses.next() == .reachableViaWiFi)
            let told = Recorder<NetworkReachabilityStatus>()
            let other = try loopback()
            other.addStatusListener(queue: .test("other")) { told.record($0) }
            try other.startMonitoring()
            #expect(await told.next() == .reachableViaWiFi)
        }
        blocked.stopMonitoring()
        await closed.next()
        release.signal()
    }

    @Test("Restarts with a suspended queue leave few descriptors and threads")
    func stuckQueues() async {
        await #expect(processExitsWith: .success) {
            let closed = Recorder<Void>()
            let options = MonitorOptions(onClose: { closed.record(()) })
            let queue = DispatchQueue.test()
            queue.suspend()
            for _ in 0..<50 {
                let manager = try NetworkReachabilityManager(
                    target: .address("127.0.0.1"), options: options)
                manager.addListener(queue: queue) { _ in }
                var statuses = manager.statuses.makeAsyncIterator()
                try manager.startMonitoring()
                _ = try await statuses.next()
                manager.stopMonitoring()
                await closed.next()
            }
            let (descriptors, threads) = (descriptorCount(), threadNames().count)
            precondition(descriptors < 80 && threads < 40, "\(descriptors), \(threads)")
            queue.resume()
        }
    }

    @Test("Iterating starts monitoring, and the end of the last iteration stops it")
    func iterating() async throws {
        let manager = try loopback()
        #expect(!manager.isMonitoring)
        do {
            var one = manager.statuses.makeAsyncIterator()
            do {
                var two = manager.statuses.makeAsyncIterator()
                #expect(try await two.next() == .reachableViaWiFi)
            }
            await inLoop()
            #expect(manager.isMonitoring)
            #expect(try await one.next() == .reachableViaWiFi)
        }
        _ = await closed.first { true }
        #expect(!manager.isMonitoring)
    }

    @Test("The process's own namespace, given by path, shares the monitor of the current one")
    func sameNamespace() async throws {
        let plain = try loopback()
        let path = try manager(
            .address("127.0.0.1").with(namespace: .path("/proc/thread-self/ns/net")))
        try plain.startMonitoring()
        var statuses = path.statuses.makeAsyncIterator()
        #expect(try await statuses.next() == .reachableViaWiFi)
        plain.stopMonitoring()
        // The first job may run just before an unused monitor is closed.
        for _ in 0..<2 { await inLoop() }
        #expect(closed.values.isEmpty)
        path.stopMonitoring()
        _ = await closed.first { true }
        for _ in 0..<2 { await inLoop() }
        #expect(closed.values.count == 1)
    }
}
