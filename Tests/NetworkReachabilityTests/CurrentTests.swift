// SPDX-License-Identifier: MIT

import Dispatch
import Testing

@testable import NetworkReachability

@Suite("Snapshots of the current state", .needsNamespaces, .timeLimit(.minutes(10)), .blocking)
struct CurrentTests {
    let namespace: Namespace
    let told = Recorder<ReachabilitySnapshot>()

    init() throws {
        namespace = try Namespace.withDefaultRoute()
    }

    func watch(_ address: String) async throws -> NetworkReachabilityManager {
        let manager = try NetworkReachabilityManager(
            target: .address(NetworkAddress(address)).with(namespace: .path(namespace.path)))
        manager.addListener(queue: .test("told")) { [told] in told.record($0) }
        try manager.startMonitoring()
        await told.next()
        return manager
    }

    @Test("A snapshot of a monitored target has the latest change, and listeners receive it, too")
    func gateways() async throws {
        let manager = try await watch("192.0.2.1")
        for round in 0..<40 {
            let gateway = "10.9.0.\(2 + round % 2)"
            try namespace.ip("route replace default via \(gateway)")
            let snapshot = try manager.currentSnapshot()
            #expect(snapshot.gateway?.description == gateway)
        }
        #expect(await told.first { $0.gateway?.description == "10.9.0.3" } != nil)
        try namespace.ip("route del default")
        #expect(try manager.currentSnapshot().flags == [])
        #expect(await told.first { $0.flags == [] } != nil)
    }

    @Test("A snapshot shows a new or deleted local address at once")
    func addresses() async throws {
        let manager = try await watch("192.0.2.1")
        // The last round adds the address: a change that is undone at once may go unreported.
        for round in 0...40 {
            let isThere = round % 2 == 0
            try namespace.ip("addr \(isThere ? "add" : "del") 192.0.2.1/32 dev lo")
            #expect(try manager.currentSnapshot().flags.contains(.isLocalAddress) == isThere)
        }
        #expect(await told.first { $0.flags.contains(.isLocalAddress) } != nil)
    }

    /// The loop makes the queries itself, so it finds no event afterwards.
    ///
    /// Nor may a drain that comes by itself hide a missing one: half a second after an event, the monitor has work again.
    @Test("A change that a query finds is reported to listeners, and to sequences of the host")
    func queried() async throws {
        let path = NetworkNamespace.path(namespace.path)
        let (queue, links) = (DispatchQueue.test("queried"), Recorder<[NetworkInterface]>())
        let manager = try await watch("192.0.2.1")
        let listener = manager.addListener(queue: queue) { [told] in told.record($0) }
        let end = try MonitorHub.watchInterfaces(of: path, options: .standard) { result in
            if let all = try? result.get() { links.record(all) }
        }
        for command in ["route del default", "addr add 10.9.0.7/32 dev eth0"] {
            let (flags, addresses) = await withCheckedContinuation { continuation in
                MonitorLoop.perform { [namespace, told] in
                    #expect(throws: Never.self) {
                        try namespace.ip(command)
                        _ = try manager.currentSnapshot()
                    }
                    #expect(MonitorLoop.existing?.state.withLock { $0.jobs.isEmpty } == false)
                    let read: @Sendable () -> Void = {
                        let addresses = links.values.last?.last?.addresses
                        continuation.resume(returning: (told.values.last?.flags, addresses ?? []))
                    }
                    MonitorLoop.perform { [.on(queue, read)] }
                    return []
                }
            }
            #expect(flags == [])
            let isAdded = addresses.contains { $0.address.description == "10.9.0.7" }
            #expect(isAdded == command.hasPrefix("addr"))
        }
        listener.cancel()
        end()
    }

    @Test("refresh() finds a change that the kernel does not announce")
    func refresh() async throws {
        for network in 1...2 {
            try namespace.ip("addr add 2001:db8:\(network)::1/64 dev eth0 nodad")
        }
        try namespace.ip("route add default via 2001:db8:1::2")
        let manager = try await watch("2001:db8:3::1")
        let before = try #require(try manager.currentSnapshot().source)
        let other = before.description == "2001:db8:1::1" ? 2 : 1
        // A source with the label of the destination is preferred (RFC 6724, rule 6).
        for network in [other, 3] {
            try namespace.ip("addrlabel add prefix 2001:db8:\(network)::/64 label 99")
        }
        try NetworkHost.refresh(in: .path(namespace.path))
        #expect(await told.first { $0.source?.description == "2001:db8:\(other)::1" } != nil)
        #expect(manager.snapshot.source?.description == "2001:db8:\(other)::1")
    }
}
