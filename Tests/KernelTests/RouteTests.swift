// SPDX-License-Identifier: MIT
import CReach
import Testing

private let far = "192.0.2.1"
private let far6 = "2001:db8:ffff::1"

@Suite(.blocking, .needsNamespaces, .timeLimit(.minutes(10)))
struct RouteTests {
    @Test("Adding, replacing, or deleting a route changes the verdict")
    func addReplaceDelete() throws {
        let lab = try Lab(links: 2, defaultRoute: false)
        let watcher = try Watcher(lab.host)
        let id = try watcher.add(.address(far), expecting: [], reason: "noRoute")
        let internet = try watcher.add(.internet, expecting: [], reason: nil)
        try lab.host.ip("route add default via 10.9.0.2")
        #expect(try watcher.expect(id, .reachable, on: "eth0").gateway == "10.9.0.2")
        try watcher.expect(internet, .reachable)
        // The kernel sends one message, and none about the route that was replaced.
        try lab.host.ip("route replace default via 10.9.1.2")
        #expect(try watcher.expect(id, .reachable, on: "eth1").gateway == "10.9.1.2")
        try watcher.expect(internet, .reachable, on: "eth1")
        try lab.host.ip("route add 192.0.2.0/24 dev eth0")
        try watcher.expect(id, [.reachable, .direct], on: "eth0")
        try lab.host.ip("route del 192.0.2.0/24")
        try watcher.expect(id, .reachable, on: "eth1")
        try lab.host.ip("route del default")
        try watcher.expect(id, [], reason: "noRoute")
        try watcher.expect(internet, [], reason: nil)
        try watcher.expectNoChange()
    }

    @Test(
        "Each type of refusing route has its own reason",
        arguments: [
            ("unreachable", "unreachable"), ("prohibit", "prohibited"), ("blackhole", "blackhole"),
            ("throw", "noRoute"),
        ])
    func refusals(type: String, reason: String) throws {
        let lab = try Lab()
        let watcher = try Watcher(lab.host)
        let id = try watcher.add(.address(far), expecting: .reachable)
        let six = try watcher.add(.address(far6), expecting: .reachable)
        try lab.host.ip("route add \(type) 192.0.2.0/24")
        try watcher.expect(id, [], reason: reason)
        try lab.host.ip("-6 route add \(type) 2001:db8:ffff::/48")
        try watcher.expect(six, [], reason: reason)
        #expect(try lab.routeGet(far) == nil)
        #expect(try lab.routeGet(far6) == nil)
        try lab.host.ip("route del \(type) 192.0.2.0/24")
        try watcher.expect(id, .reachable)
        try lab.host.ip("-6 route del \(type) 2001:db8:ffff::/48")
        try watcher.expect(six, .reachable)
        try watcher.expectNoChange()
    }

    @Test("An unreachable default route of the highest metric applies once no other is left")
    func unreachableDefault() throws {
        let lab = try Lab()
        let watcher = try Watcher(lab.host)
        let id = try watcher.add(.address(far6), expecting: .reachable)
        try lab.host.ip("-6 route add unreachable default metric 4294967295")
        try watcher.expectNoChange()
        try lab.host.ip("-6 route del default via 2001:db8:9::2")
        try watcher.expect(id, [], reason: "unreachable")
        #expect(try lab.routeGet(far6) == nil)
    }

    @Test(
        "Two /1 routes make the internet reachable, and one makes half of all addresses reachable"
    )
    func splitDefault() throws {
        let lab = try Lab(defaultRoute: false)
        let watcher = try Watcher(lab.host)
        let low = try watcher.add(.address("11.0.0.1"), expecting: [], reason: "noRoute")
        let high = try watcher.add(.address("203.0.113.1"), expecting: [], reason: "noRoute")
        let internet = try watcher.add(.internet, expecting: [], reason: nil)
        try lab.host.ip("route add 0.0.0.0/1 via 10.9.0.2")
        try watcher.expect(low, .reachable)
        try watcher.expectNoChange()
        try lab.host.ip("route add 128.0.0.0/1 via 10.9.0.2")
        try watcher.expect(high, .reachable)
        try watcher.expect(internet, .reachable)
        try lab.host.ip("route del 0.0.0.0/1")
        try watcher.expect(low, [], reason: "noRoute")
        try watcher.expect(internet, [], reason: nil)
        try watcher.expectNoChange()
    }

    @Test(
        "If a multipath leg loses carrier, its target follows the kernel's choice of leg",
        arguments: [4, 6])
    func multipathCarrier(version: Int) throws {
        let lab = try Lab(links: 2, defaultRoute: false)
        try lab.multipathDefault(version)
        let watcher = try Watcher(lab.host)
        let legs = try lab.targets(version)
        let first = try watcher.add(.address(legs.first), expecting: .reachable)
        let second = try watcher.add(.address(legs.second), expecting: .reachable)
        #expect(try watcher.state(first).interfaceName == "eth0")
        #expect(try watcher.state(second).interfaceName == "eth1")

        try lab.carrier(false)
        // IPv4 keeps the leg without carrier, and so does an IPv6 router. `uplinks.c` asks a socket.
        if version == 6, Features.connectionLegs {
            try watcher.expect(first, .reachable, on: "eth1")
        } else {
            try watcher.expect(first, [], reason: "linkDown", on: "eth0")
        }
        #expect(try lab.routeGet(legs.first)?.interface == "eth0")
        try watcher.expectNoChange()

        try lab.carrier(true)
        try watcher.expect(first, .reachable, on: "eth0")
        try watcher.expectNoChange()
        #expect(try watcher.state(second).interfaceName == "eth1")
    }

    @Test("If a multipath leg goes down, its targets use the other leg", arguments: [4, 6])
    func multipathDown(version: Int) throws {
        let lab = try Lab(links: 2, defaultRoute: false)
        try lab.multipathDefault(version)
        let watcher = try Watcher(lab.host)
        let legs = try lab.targets(version)
        let first = try watcher.add(.address(legs.first), expecting: .reachable)
        let second = try watcher.add(.address(legs.second), expecting: .reachable)
        try lab.host.ip("link set eth0 down")
        try watcher.expect(first, .reachable, on: "eth1")
        try watcher.expectNoChange()
        try lab.host.ip("link set eth1 down")
        try watcher.expect(first, [], reason: "noRoute")
        try watcher.expect(second, [], reason: "noRoute")
        try watcher.expectNoChange()
    }

    @Test("If a leg of an IPv6 multipath route is deleted, its targets use the other leg")
    func multipathLegDeleted() throws {
        let lab = try Lab(links: 2, defaultRoute: false)
        try lab.multipathDefault(6)
        let watcher = try Watcher(lab.host)
        let legs = try lab.targets(6)
        let first = try watcher.add(.address(legs.first), expecting: .reachable)
        let second = try watcher.add(.address(legs.second), expecting: .reachable)
        try lab.host.ip("-6 route del default via 2001:db8:9::2")
        try watcher.expect(first, .reachable, on: "eth1")
        try watcher.expectNoChange()
        #expect(try watcher.state(second).interfaceName == "eth1")
    }

    @Test("The state of a target over an IPv4 route with an IPv6 gateway has that gateway")
    func gatewayOfTheOtherFamily() throws {
        let lab = try Lab(defaultRoute: false)
        try lab.host.ip("route add 192.0.2.0/24 via inet6 2001:db8:9::2 dev eth0")
        let watcher = try Watcher(lab.host)
        let id = try watcher.add(.address(far), expecting: .reachable)
        #expect(try watcher.state(id).gateway == "2001:db8:9::2")
    }

    @Test("500 unrelated routes cause few lookups and no change, and one to the target is noticed")
    func unrelatedRoutes() throws {
        let lab = try Lab()
        let watcher = try Watcher(lab.host)
        let id = try watcher.add(.address(far), expecting: .reachable)
        try watcher.expectNoChange()
        let before = try watcher.stats().lookups
        try lab.host.batch((0..<500).map { "route add 11.0.\($0 / 256).\($0 % 256) via 10.9.0.2" })
        try watcher.expectNoChange()
        #expect(try watcher.stats().lookups - before < 20)
        try lab.host.ip("route add unreachable 192.0.2.1")
        try watcher.expect(id, [], reason: "unreachable")
    }
}

extension Lab {
    /// A default route over eth0 and eth1.
    func multipathDefault(_ version: Int) throws {
        let (first, second) =
            version == 4 ? ("10.9.0.2", "10.9.1.2") : ("2001:db8:9::2", "2001:db8:9:1::2")
        // The reachability of a router, which is not known yet, must not decide which router is used.
        try host.set("ipv6/conf/all/forwarding", to: "1")
        try host.ip("-\(version) route add default nexthop via \(first) nexthop via \(second)")
    }

    /// A destination that a socket sends over each leg.
    ///
    /// Kernels before 6.18 may look up the other leg for the source of the first one. That socket's leg changes with
    /// its source, so it's none of these.
    func targets(_ version: Int) throws -> (first: String, second: String) {
        let targets = (1...100).map {
            Target.address(version == 4 ? "192.0.2.\($0)" : "2001:db8:ffff::\($0)")
        }
        var found: [String: String] = [:]
        for (target, routes) in zip(targets, try routesOfSockets(to: targets)) {
            guard let first = routes.first?.interface, found[first] == nil,
                routes.allSatisfy({ $0.interface == first })
            else { continue }
            found[first] = target.remote
        }
        return (try #require(found["eth0"]), try #require(found["eth1"]))
    }
}
