// SPDX-License-Identifier: MIT

import Testing

@testable import NetworkReachability

@Suite("The counters of the monitor", .timeLimit(.minutes(10)))
struct StatisticsTests {
    @Test("Without a monitored target, and in a child of fork(), there are no statistics")
    func none() async throws {
        let options = MonitorOptions(etcRoot: "")
        func statistics() throws -> MonitorStatistics? {
            try MonitorHub.statistics(in: .current, options)
        }
        let manager = try NetworkReachabilityManager(
            target: .address("127.0.0.1"), options: options)
        #expect(try statistics() == nil)
        var snapshots = manager.snapshots.makeAsyncIterator()
        _ = try await snapshots.next()
        #expect(try statistics() != nil)
        #expect(wait(for: fork { (try? statistics()) == nil ? 0 : 1 }) == 0)
        manager.stopMonitoring()
    }

    @Test(
        "Statistics count events, lookups, and changes of all managers together", .needsNamespaces)
    func counts() async throws {
        let namespace = try Namespace.withDefaultRoute()
        let options = MonitorOptions(etcRoot: "")
        func statistics() throws -> MonitorStatistics {
            try #require(try MonitorHub.statistics(in: .path(namespace.path), options))
        }
        let managers = try ["192.0.2.1", "192.0.2.2"].map { address in
            try NetworkReachabilityManager(
                target: .address(address).with(namespace: .path(namespace.path)),
                options: options)
        }
        var iterators = managers.map { $0.snapshots.makeAsyncIterator() }
        for index in iterators.indices {
            #expect(try await iterators[index].next()?.status == .reachableViaWiFi)
        }
        let before = try statistics()
        #expect(before.dumps > 0 && before.lookups >= 2 && before.changes == 2)
        #expect(before.overruns == 0 && before.malformed == 0 && before.spoofed == 0)
        try namespace.setCarrier(false)
        for index in iterators.indices {
            #expect(try await iterators[index].next()?.status == .notReachable)
        }
        let after = try statistics()
        #expect(after.events > before.events && after.wakeups > before.wakeups)
        #expect(after.barriers > before.barriers && after.changes >= 4)
        for manager in managers { manager.stopMonitoring() }
    }
}
