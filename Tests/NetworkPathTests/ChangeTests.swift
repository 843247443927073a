// SPDX-License-Identifier: MIT

import Dispatch
import Foundation
import NetworkReachability
import SwiftTestSupport
import Testing

@testable import NetworkPath

/// Changes of which each is one call, also where no member of the path tells them.
@Suite(
    "Changes of a path", .enabled(if: Namespace.isAvailable, "needs network namespaces"),
    .timeLimit(.minutes(10)), .blocking)
struct ChangeTests {
    let namespace: Namespace
    let root: URL
    let monitor: NWPathMonitor
    let told = Recorder<NWPath>()
    let queue = DispatchQueue(label: "ChangeTests")

    init() throws {
        namespace = try Namespace.withDefaultRoute()
        root = FileManager.default.temporaryDirectory.appendingPathComponent(
            "path-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: root, withIntermediateDirectories: true)
        try Data("nameserver 192.0.2.53\n".utf8).write(
            to: root.appendingPathComponent("resolv.conf"))
        monitor = NWPathMonitor(
            in: .path(namespace.path), options: MonitorOptions(etcRoot: root.path)
        ) { _ in true }
        monitor.pathUpdateHandler = { [told] in told.record($0) }
        monitor.start(queue: queue)
    }

    func configure(_ text: String) throws {
        try Data(text.utf8).write(to: root.appendingPathComponent("resolv.conf"), options: .atomic)
    }

    func next() async throws -> NWPath { try #require(await told.next()) }

    /// Ends the monitor after a change that makes the path unsatisfied.
    /// - Returns: How many calls there were before that one.
    func finish() async throws -> Int {
        try namespace.ip("route del default")
        while try await next().status != .unsatisfied {}
        monitor.cancel()
        return told.values.count - 1
    }

    @Test("DNS that is lost and comes back, and another server")
    func dns() async throws {
        let first = try await next()
        #expect(first.supportsDNS && first.status == .satisfied)
        #expect(
            first.debugDescription
                == "satisfied (Path is satisfied), interface: eth0, ipv4, dns, uses other")
        try configure("# none\n")
        let lost = try await next()
        #expect(!lost.supportsDNS && lost.status == .satisfied && lost != first)
        try configure("nameserver 192.0.2.53\n")
        #expect(try await next() == first)
        try configure("nameserver 192.0.2.53\n# the same\n")
        try configure("nameserver 198.51.100.53\n")
        let other = try await next()
        #expect(other != first && other.debugDescription == first.debugDescription)
        // Without a way to the internet no other change counts.
        #expect(try await finish() == 4)
        #expect(queue.sync { monitor.currentPath.supportsDNS } == false)
    }

    @Test("Another address behind the same gateway")
    func addresses() async throws {
        let first = try await next()
        // Follows whenever an interface is up.
        try namespace.ip("addr add fe80::7/64 dev eth0 nodad")
        try namespace.ip("addr add 10.9.0.7/24 dev eth0")
        let added = try await next()
        #expect(added != first && added.debugDescription == first.debugDescription)
        #expect(added.gateways == first.gateways)
        #expect(added.availableInterfaces == first.availableInterfaces)
        try namespace.ip("route replace default via 10.9.0.2 src 10.9.0.7")
        let moved = try await next()
        #expect(moved != added && moved != first)
        try namespace.ip("route replace default via 10.9.0.2")
        #expect(try await next() == added)
        #expect(try await finish() == 4)
    }

    @Test("A gateway, and a link-local one with its interface")
    func gateways() async throws {
        let first = try await next()
        try namespace.ip("route replace default via 10.9.0.3")
        let other = try await next()
        #expect(other != first && other.gateways.map(\.debugDescription) == ["10.9.0.3:0"])
        try namespace.ip("addr add 2001:db8:9::1/64 dev eth0 nodad")
        let addressed = try await next()
        #expect(addressed != other && addressed.gateways == other.gateways)
        try namespace.ip("-6 route add default via fe80::1 dev eth0")
        let both = try await next()
        #expect(both.gateways.map(\.debugDescription) == ["10.9.0.3:0", "fe80::1%eth0.0"])
        guard case .hostPort(.ipv6(let address), .any)? = both.gateways.last else {
            Issue.record("no IPv6 gateway: \(both.gateways)")
            return
        }
        #expect(address.interface == both.availableInterfaces.first)
        #expect(address.rawValue.prefix(2) == [0xFE, 0x80] && address.rawValue.last == 1)
        try namespace.ip("-6 route del default")
        #expect(try await next() == addressed)
        #expect(try await finish() == 5)
    }

    @Test("An interface that is added, and one that is removed")
    func interfaces() async throws {
        let first = try await next()
        try namespace.batch([
            "link add eth1 type veth peer name p1", "link set p1 up", "link set eth1 up",
            "addr add fe80::9/64 dev eth1 nodad",
        ])
        try namespace.ip("addr add 192.0.2.1/24 dev eth1")
        let added = try await next()
        #expect(added.availableInterfaces.map(\.name) == ["eth0", "eth1"])
        #expect(added.gateways == first.gateways)
        try namespace.ip("link del eth1")
        #expect(try await next() == first)
        #expect(try await finish() == 3)
    }

    @Test("The initialisers that clients have, started in the thread's namespace")
    func initialisers() async throws {
        monitor.cancel()
        let monitors: [(NWPathMonitor, NWPath.Status)] = [
            (NWPathMonitor(), .satisfied),
            (NWPathMonitor(requiredInterfaceType: .other), .satisfied),
            (NWPathMonitor(requiredInterfaceType: .wifi), .unsatisfied),
            (NWPathMonitor(prohibitedInterfaceTypes: [.wifi, .cellular]), .satisfied),
            (NWPathMonitor(prohibitedInterfaceTypes: [.wifi, .other]), .unsatisfied),
        ]
        for (monitor, status) in monitors {
            let paths = Recorder<NWPath>()
            monitor.pathUpdateHandler = { paths.record($0) }
            #expect(monitor.debugDescription == "NWPathMonitor (unsatisfied (No network route))")
            try namespace.run { monitor.start(queue: queue) }
            let path = try #require(await paths.next())
            #expect(path.status == status)
            #expect(monitor.debugDescription == "NWPathMonitor (\(path.debugDescription))")
            monitor.cancel()
        }
    }
}
