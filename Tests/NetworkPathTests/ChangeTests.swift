// SPDX-License-Identifier: MIT

import Dispatch
import Foundation
import NetworkReachability
import SwiftTestSupport
import Testing

@testable import NetworkPath

/// Each change causes one call, even if no public member of the path shows it.
@Suite("Changes of a path", .needsNamespaces, .timeLimit(.minutes(10)), .blocking)
struct ChangeTests {
    let namespace: Namespace
    let root: Folder
    let monitor: NWPathMonitor
    let told = Recorder<NWPath>()
    let queue = DispatchQueue(label: "ChangeTests")

    init() throws {
        namespace = try Namespace.withDefaultRoute()
        root = try Folder("path")
        try root.write("nameserver 192.0.2.53\n", to: "resolv.conf")
        monitor = NWPathMonitor(
            in: .path(namespace.path), options: MonitorOptions(etcRoot: root.url.path),
            allowing: nil)
        monitor.pathUpdateHandler = { [told] in told.record($0) }
        monitor.start(queue: queue)
    }

    func configure(_ text: String) throws {
        try root.write(text, to: "resolv.conf")
    }

    func next() async throws -> NWPath { try #require(await told.next()) }

    /// Ends the monitor after a change that makes the path unsatisfied.
    /// - Returns: The number of calls before that change.
    func finish() async throws -> Int {
        try namespace.ip("route del default")
        while try await next().status != .unsatisfied {}
        monitor.cancel()
        return told.values.count - 1
    }

    @Test("Losing DNS, regaining it, and a new server cause one call each")
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
        // Without a path to the internet, no other change counts.
        #expect(try await finish() == 4)
        #expect(queue.sync { monitor.currentPath.supportsDNS } == false)
    }

    @Test("A path over a type that isn't allowed supports no DNS")
    func otherType() async throws {
        try configure("nameserver 10.9.0.2\n")
        let monitor = NWPathMonitor(
            in: .path(namespace.path), options: MonitorOptions(etcRoot: root.url.path)
        ) { _ in false }
        var paths = monitor.makeAsyncIterator()
        let path = try #require(await paths.next())
        #expect(path.status == .unsatisfied && !path.supportsDNS)
    }

    @Test("A new address, and a new source with the same gateway, cause one call each")
    func addresses() async throws {
        let first = try await next()
        // The kernel adds a link-local address to every interface that comes up. It causes no call.
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

    @Test("A new gateway causes one call, and a link-local one has its interface")
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

    @Test("A second way to the internet, and its end, cause one call each")
    func interfaces() async throws {
        let first = try await next()
        try namespace.batch([
            "link add eth1 type veth peer name p1", "link set p1 up", "link set eth1 up",
            "addr add fe80::9/64 dev eth1 nodad",
        ])
        // An interface that leads to no other network isn't available.
        try namespace.ip("addr add 192.0.2.1/24 dev eth1")
        try namespace.ip("route add default via 192.0.2.9 metric 600")
        let added = try await next()
        #expect(added.availableInterfaces.map(\.name) == ["eth0", "eth1"])
        #expect(added.gateways.map(\.debugDescription) == ["10.9.0.2:0", "192.0.2.9:0"])
        try namespace.ip("link del eth1")
        #expect(try await next() == first)
        #expect(try await finish() == 3)
    }

    /// The kernel keeps to the route of the dead link: connections over the other link must be bound to it.
    @Test("A monitor that prohibits nothing has the path of one without types")
    func nothingProhibited() async throws {
        _ = try await next()
        try namespace.batch([
            "link add eth1 type veth peer name p1", "link set p1 up", "link set eth1 up",
            "addr add 192.0.2.1/24 dev eth1", "route add default via 192.0.2.9 metric 600",
        ])
        try namespace.setCarrier(false)
        while try await next().status != .unsatisfied {}
        let types: [([NWInterface.InterfaceType], NWPath.Status)] = [
            ([], .unsatisfied), ([.wifi], .satisfied),
        ]
        for (prohibited, status) in types {
            let other = NWPathMonitor(prohibitedInterfaceTypes: prohibited)
            let paths = Recorder<NWPath>()
            other.pathUpdateHandler = { paths.record($0) }
            try namespace.run { other.start(queue: queue) }
            #expect(await paths.next()?.status == status)
            other.cancel()
        }
        monitor.cancel()
    }

    @Test("With every initializer, a monitor uses the namespace of the thread that starts it")
    func initializers() async throws {
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
