// SPDX-License-Identifier: MIT

import Testing

@testable import NetworkReachability

@Suite("The counters of the monitor", .timeLimit(.minutes(10)))
struct StatisticsTests {
    @Test("a manager that is not monitoring has none")
    func none() async throws {
        let manager = try NetworkReachabilityManager(address: "127.0.0.1")
        #expect(manager.statistics == nil)
        var snapshots = manager.snapshots.makeAsyncIterator()
        _ = try await snapshots.next()
        #expect(manager.statistics != nil)
        manager.stopMonitoring()
        #expect(manager.statistics == nil)
    }

    @Test("a monitor that failed has none")
    func failed() async throws {
        let manager = try NetworkReachabilityManager(
            target: .address("127.0.0.1"), options: MonitorOptions(fault: { .invalidArgument }))
        await #expect(throws: ReachabilityError.self) {
            for try await _ in manager.snapshots {}
        }
        #expect(manager.statistics == nil)
    }

    @Test("a child of fork() has none of its parent's")
    func child() async throws {
        let manager = try NetworkReachabilityManager(address: "127.0.0.1")
        var snapshots = manager.snapshots.makeAsyncIterator()
        _ = try await snapshots.next()
        #expect(wait(for: fork { manager.statistics == nil ? 0 : 1 }) == 0)
        manager.stopMonitoring()
    }

    @Test("they count events, lookups and changes, for all managers together", .needsNamespaces)
    func counts() async throws {
        let namespace = try Namespace.withDefaultRoute()
        let options = MonitorOptions(etcRoot: "")
        let managers = try ["192.0.2.1", "192.0.2.2"].map { address in
            try NetworkReachabilityManager(
                target: .address(address).with(namespace: .path(namespace.path)),
                options: options)
        }
        var iterators = managers.map { $0.snapshots.makeAsyncIterator() }
        for index in iterators.indices {
            #expect(try await iterators[index].next()?.status == .reachableViaWiFi)
        }
        let before = try #require(managers[0].statistics)
        #expect(before == managers[1].statistics)
        #expect(before.dumps > 0 && before.lookups >= 2 && before.changes == 2)
        #expect(before.overruns == 0 && before.malformed == 0 && before.spoofed == 0)
        try namespace.setCarrier(false)
        for index in iterators.indices {
            #expect(try await iterators[index].next()?.status == .notReachable)
        }
        let after = try #require(managers[1].statistics)
        #expect(after.events > before.events && after.wakeups > before.wakeups)
        #expect(after.barriers > before.barriers && after.changes >= 4)
        for manager in managers { manager.stopMonitoring() }
    }
}
