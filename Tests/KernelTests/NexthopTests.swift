// SPDX-License-Identifier: MIT
import Testing

private let far = "192.0.2.1"
private let far6 = "2001:db8:ffff::1"

@Suite(
    .blocking, .needsNamespaces, .timeLimit(.minutes(10)),
    .needs(Features.nexthop, "nexthop objects (Linux 5.3)"))
struct NexthopTests {
    /// Two links; nexthop 1 and 61 over eth0, 2 over eth1; default routes over 1 and 61.
    private static func lab() throws -> Lab {
        let lab = try Lab(links: 2, defaultRoute: false)
        try lab.host.batch([
            "nexthop add id 1 via 10.9.0.2 dev eth0", "nexthop add id 2 via 10.9.1.2 dev eth1",
            "nexthop add id 61 via 2001:db8:9::2 dev eth0", "route add default nhid 1",
        ])
        try lab.host.ip("-6 route add default nhid 61")
        return lab
    }

    private static let compatibility: [Bool] =
        Features.nexthopCompatibility ? [true, false] : [true]

    @Test(
        "Deleting a nexthop makes the targets of its routes unreachable", arguments: compatibility)
    func deleted(compatible: Bool) throws {
        let lab = try Self.lab()
        if !compatible { try lab.host.set("ipv4/nexthop_compat_mode", to: "0") }
        let watcher = try Watcher(lab.host)
        let four = try watcher.add(.address(far), expecting: .reachable)
        let six = try watcher.add(.address(far6), expecting: .reachable)
        try lab.host.ip("nexthop del id 1")
        try watcher.expect(four, [], reason: "noRoute")
        #expect(try lab.routeGet(far) == nil)
        try lab.host.ip("nexthop del id 61")
        try watcher.expect(six, [], reason: "noRoute")
        #expect(try lab.routeGet(far6) == nil)
        try watcher.expectNoChange()
    }

    @Test("A replaced nexthop moves its routes", arguments: compatibility)
    func replaced(compatible: Bool) throws {
        let lab = try Self.lab()
        if !compatible { try lab.host.set("ipv4/nexthop_compat_mode", to: "0") }
        let watcher = try Watcher(lab.host)
        let four = try watcher.add(.address(far), expecting: .reachable)
        let six = try watcher.add(.address(far6), expecting: .reachable)
        try lab.host.ip("nexthop replace id 1 via 10.9.1.2 dev eth1")
        #expect(try watcher.expect(four, .reachable, on: "eth1").gateway == "10.9.1.2")
        try lab.host.ip("nexthop replace id 1 blackhole")
        try watcher.expect(four, [], reason: "blackhole")
        try lab.host.ip("-6 nexthop replace id 61 blackhole")
        try watcher.expect(six, [], reason: "blackhole")
        #expect(try lab.routeGet(far) == nil)
        try lab.host.ip("nexthop replace id 1 via 10.9.0.2 dev eth0")
        try watcher.expect(four, .reachable, on: "eth0")
        try watcher.expectNoChange()
    }

    @Test("The second leg of a multipath route comes back with its link, without an event")
    func secondLeg() throws {
        let lab = try Lab(links: 2, defaultRoute: false)
        try lab.host.ip(
            "route add default nexthop via 10.9.0.2 dev eth0 nexthop via 10.9.1.2 dev eth1")
        let watcher = try Watcher(lab.host)
        // The leg depends on the destination.
        let targets = try (1...7).map { number in
            let far = "192.0.2.\(number)"
            let id = try watcher.add(.address(far), expecting: .reachable)
            return (target: Target.address(far), id: id)
        }
        // Without carrier, eth0 keeps its leg.
        try lab.carrier(false, of: 0)
        for _ in 0..<3 {
            try lab.host.ip("link set eth1 down")
            for (_, id) in targets { try watcher.expectSoon(id) { $0.reason == "linkDown" } }
            try lab.host.ip("link set eth1 up")
            let routes = try lab.routesOfSockets(to: targets.map(\.target))
            for ((_, id), route) in zip(targets, routes) {
                let isBack = route.first?.interface == "eth1"
                try watcher.expectSoon(id) {
                    isBack
                        ? $0.flags == .reachable && $0.interfaceName == "eth1"
                        : $0.reason == "linkDown"
                }
            }
        }
    }

    @Test("Without carrier the kernel drops nexthop objects, and does not bring them back")
    func carrier() throws {
        let lab = try Self.lab()
        let watcher = try Watcher(lab.host)
        let four = try watcher.add(.address(far), expecting: .reachable)
        let six = try watcher.add(.address(far6), expecting: .reachable)
        let neighbor = try watcher.add(.address("10.9.0.2"), expecting: [.reachable, .direct])
        try lab.carrier(false)
        try watcher.expect(four, [], reason: nil)
        try watcher.expect(six, [], reason: nil)
        try watcher.expect(neighbor, [], reason: "linkDown")
        try lab.carrier(true)
        try watcher.expect(neighbor, [.reachable, .direct])
        #expect(try lab.routeGet(far) == nil)
        try watcher.expectNoChange()
        #expect(try watcher.state(four).reason == "noRoute")
    }

    @Test(
        "A link that goes down makes the targets of its nexthop objects unreachable",
        arguments: compatibility)
    func linkDown(compatible: Bool) throws {
        let lab = try Self.lab()
        if !compatible { try lab.host.set("ipv4/nexthop_compat_mode", to: "0") }
        let watcher = try Watcher(lab.host)
        let four = try watcher.add(.address(far), expecting: .reachable)
        let six = try watcher.add(.address(far6), expecting: .reachable)
        try lab.host.ip("link set eth0 down")
        try watcher.expect(four, [], reason: "noRoute")
        try watcher.expect(six, [], reason: "noRoute")
        try watcher.expectNoChange()
    }

    @Test(
        "The route of a nexthop group follows its members, and ends with the last one",
        arguments: compatibility)
    func group(compatible: Bool) throws {
        let lab = try Self.lab()
        if !compatible { try lab.host.set("ipv4/nexthop_compat_mode", to: "0") }
        try lab.host.ip("nexthop add id 10 group 1/2")
        try lab.host.ip("route replace default nhid 10")
        let watcher = try Watcher(lab.host)
        let id = try watcher.add(.address(far), expecting: .reachable)
        try lab.host.ip("nexthop replace id 10 group 2")
        // The hash may have chosen that member before.
        try watcher.expectSoon(id) { $0.flags == .reachable && $0.interfaceName == "eth1" }
        try lab.host.ip("nexthop replace id 10 group 1")
        try watcher.expect(id, .reachable, on: "eth0")
        try lab.host.ip("nexthop del id 1")
        try watcher.expect(id, [], reason: "noRoute")
        #expect(try lab.routeGet(far) == nil)
        try watcher.expectNoChange()
    }

    @Test(
        "With skip_notify_on_dev_down, IPv6 routes that end with their link are still noticed",
        .needs(Features.skipNotify, "net.ipv6.route.skip_notify_on_dev_down"))
    func skipNotify() throws {
        let lab = try Lab()
        try lab.host.set("ipv6/route/skip_notify_on_dev_down", to: "1")
        let watcher = try Watcher(lab.host)
        let six = try watcher.add(.address(far6), expecting: .reachable)
        let direct = try watcher.add(.address("2001:db8:9::2"), expecting: [.reachable, .direct])
        try lab.host.ip("link set eth0 down")
        try watcher.expect(six, [], reason: "noRoute")
        try watcher.expect(direct, [], reason: "noRoute")
        try watcher.expectNoChange()
    }
}
