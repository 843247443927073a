// SPDX-License-Identifier: MIT

import Foundation
import NetworkReachability
import Synchronization
import Testing

@testable import SystemConfiguration

@Suite("One monitor for targets and managers", .timeLimit(.minutes(10)), .needsNamespaces)
struct SharedMonitorTests {
    let namespace: Namespace
    let queue = DispatchQueue.test()

    init() throws {
        namespace = try Namespace.withAddress()
    }

    func manager() throws -> NetworkReachabilityManager {
        try NetworkReachabilityManager(
            target: .address("192.0.2.1").with(namespace: .path(namespace.path)))
    }

    @Test(
        "Targets and managers of a namespace share a monitor, which is closed with the last of them"
    )
    func shared() async throws {
        let target = try #require(SocketAddress("192.0.2.1").target)
        let info = Info()
        info.listen(to: target)
        let manager = try NetworkReachabilityManager(target: .address("192.0.2.1"))
        let statuses = Recorder<NetworkReachabilityStatus>()
        manager.addStatusListener(queue: queue) { statuses.record($0) }
        try namespace.run { try manager.startMonitoring() }
        #expect(try namespace.schedule(target, queue))
        #expect(await statuses.next() == .reachableViaWiFi)
        #expect(namespace.watchers == 1)
        try namespace.setAddress(false)
        #expect(await info.flags.next() == [])
        #expect(await statuses.next() == .notReachable)
        manager.stopMonitoring()
        #expect(namespace.watchers == 1)
        try namespace.setAddress(true)
        #expect(await info.flags.next() == .own)
        SCNetworkReachabilitySetDispatchQueue(target, nil)
        // The library's loop closes the socket some time later.
        while namespace.watchers != 0 && !Task.isCancelled { await settle(queue) }
    }

    /// Keeps objects until their own callbacks release them.
    private final class Owners: Sendable {
        let gone = Recorder<Int>()
        private let objects = Mutex<[Int: any AnyObject & Sendable]>([:])

        func keep(_ object: any AnyObject & Sendable, as number: Int) {
            objects.withLock { $0[number] = object }
        }

        func release(_ number: Int) {
            let object = objects.withLock { $0.removeValue(forKey: number) }
            if object != nil { gone.record(number) }
        }
    }

    private func startTarget(_ number: Int, _ owners: Owners, _ queue: DispatchQueue) throws {
        let target = try #require(SocketAddress("192.0.2.1").target)
        owners.keep(target, as: number)
        let info = Info { target in
            SCNetworkReachabilitySetDispatchQueue(target, nil)
            stopListening(to: target)
            owners.release(number)
        }
        info.listen(to: target)
        #expect(try namespace.schedule(target, queue))
    }

    private func startManager(_ number: Int, _ owners: Owners, _ queue: DispatchQueue) throws {
        let manager = try manager()
        owners.keep(manager, as: number)
        manager.addListener(queue: queue) { [weak manager] _ in
            manager?.stopMonitoring()
            owners.release(number)
        }
        try manager.startMonitoring()
        // Releases another manager, which may be delivering a value.
        try self.manager().startMonitoring()
    }

    @Test("2,000 targets and managers report a change, and are released by their own callbacks")
    func hammer() async throws {
        let weather = Weather(namespace)
        let owners = Owners()
        let queues: [DispatchQueue] = [.test("a"), .test("b"), .global()]
        let count = 2000
        try await withThrowingTaskGroup { group in
            for task in 0..<4 {
                group.addTask {
                    for number in stride(from: task, to: count, by: 4) {
                        let start = number % 8 < 4 ? startTarget : startManager
                        try start(number, owners, queues[number % queues.count])
                    }
                }
            }
            try await group.waitForAll()
        }
        var gone: Set<Int> = []
        while gone.count < count, let number = await owners.gone.next() { gone.insert(number) }
        await weather.end()
        while namespace.watchers != 0 && !Task.isCancelled { await settle(queue) }
        #expect(gone.count == count && namespace.watchers == 0)
    }
}
