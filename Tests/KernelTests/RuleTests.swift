// SPDX-License-Identifier: MIT
import CTestSupport
import Testing

private let far = "192.0.2.1"
private let far6 = "2001:db8:ffff::1"

@Suite(.blocking, .needsNamespaces, .timeLimit(.minutes(10)))
struct RuleTests {
    @Test(
        "A refusing rule makes its targets unreachable until it is deleted",
        arguments: [
            ("unreachable", "noRoute"), ("prohibit", "prohibited"), ("blackhole", "blackhole"),
        ])
    func refusingRule(action: String, reason: String) throws {
        let lab = try Lab()
        let watcher = try Watcher(lab.host)
        let four = try watcher.add(.address(far), expecting: .reachable)
        let six = try watcher.add(.address(far6), expecting: .reachable)
        try lab.host.ip("rule add to 192.0.2.0/24 \(action)")
        try watcher.expect(four, [], reason: reason)
        try lab.host.ip("-6 rule add to 2001:db8:ffff::/48 \(action)")
        try watcher.expect(six, [], reason: reason)
        #expect(try lab.routeGet(far) == nil)
        try lab.host.ip("rule del to 192.0.2.0/24 \(action)")
        try watcher.expect(four, .reachable)
        try lab.host.ip("-6 rule del to 2001:db8:ffff::/48 \(action)")
        try watcher.expect(six, .reachable)
        try watcher.expectNoChange()
    }

    @Test("A route in a table that no rule names has no effect until a rule names the table")
    func tableWithoutRule() throws {
        let lab = try Lab(defaultRoute: false)
        let watcher = try Watcher(lab.host)
        let id = try watcher.add(.address(far), expecting: [], reason: "noRoute")
        let internet = try watcher.add(.internet, expecting: [], reason: nil)
        try lab.host.ip("route add default via 10.9.0.2 table 100")
        try watcher.expectNoChange()
        try lab.host.ip("rule add lookup 100")
        try watcher.expect(id, .reachable)
        try watcher.expect(internet, .reachable)
        try lab.host.ip("route del default table 100")
        try watcher.expect(id, [], reason: "noRoute")
        try watcher.expect(internet, [], reason: nil)
        try lab.host.ip("route add default via 10.9.0.2 table 100")
        try watcher.expect(id, .reachable)
        try watcher.expect(internet, .reachable)
        try lab.host.ip("rule del lookup 100")
        try watcher.expect(id, [], reason: "noRoute")
        try watcher.expect(internet, [], reason: nil)
        try watcher.expectNoChange()
    }

    @Test(
        "wg-quick's rules send all but the tunnel's own traffic through the tunnel",
        arguments: [4, 6])
    func wireGuardQuick(version: Int) throws {
        let lab = try Lab(links: 2)
        let target = version == 4 ? far : far6
        let gateway = version == 4 ? "10.9.1.2" : "2001:db8:9:1::2"
        let near = version == 4 ? "10.9.0.2" : "2001:db8:9::2"
        let watcher = try Watcher(lab.host)
        let id = try watcher.add(.address(target), expecting: .reachable)
        let direct = try watcher.add(.address(near), expecting: [.reachable, .direct])
        var marked = Target.address(target)
        marked.mark = 51820
        let underlay = try watcher.add(marked, expecting: .reachable)

        let ip = "-\(version)"
        try lab.host.ip("\(ip) route add default via \(gateway) dev eth1 table 51820")
        try watcher.expectNoChange()
        try lab.host.ip("\(ip) rule add not fwmark 51820 table 51820")
        try watcher.expect(id, .reachable, on: "eth1")
        // All traffic takes the tunnel now, even to neighbors, until the next rule.
        try watcher.expect(direct, .reachable, on: "eth1")
        try lab.host.ip("\(ip) rule add table main suppress_prefixlength 0")
        try watcher.expect(direct, [.reachable, .direct], on: "eth0")
        try watcher.expectNoChange()
        #expect(try watcher.state(underlay).interfaceName == "eth0")
        #expect(try lab.routeGet(target)?.interface == "eth1")
        #expect(try lab.routeGet("\(target) mark 51820")?.interface == "eth0")

        try lab.carrier(false, of: 1)
        try watcher.expect(id, [], reason: "linkDown", on: "eth1")
        try watcher.expectNoChange()
        try lab.host.ip("\(ip) rule del not fwmark 51820 table 51820")
        try watcher.expect(id, .reachable, on: "eth0")
        try watcher.expectNoChange()
    }

    @Test(
        "A longer prefix in a later table loses to a shorter one in an earlier table, and wins without it"
    )
    func orderOfTables() throws {
        let lab = try Lab(links: 2)
        let watcher = try Watcher(lab.host)
        let id = try watcher.add(.address(far), expecting: .reachable)
        try lab.host.ip("route add 192.0.2.0/28 via 10.9.0.2 table 100")
        try lab.host.ip("rule add priority 100 lookup 100")
        try lab.host.ip("route add 192.0.2.1/32 dev eth1")
        try watcher.expectNoChange()
        try lab.host.ip("route del 192.0.2.0/28 table 100")
        try watcher.expect(id, [.reachable, .direct], on: "eth1")
        try lab.host.ip("route add 192.0.0.0/8 via 10.9.0.2 table 100")
        try watcher.expect(id, .reachable, on: "eth0")
        try watcher.expectNoChange()
    }

    @Test("A rule that selects by mark affects only targets with that mark")
    func mark() throws {
        let lab = try Lab(links: 2, defaultRoute: false)
        let watcher = try Watcher(lab.host)
        var target = Target.address(far)
        target.mark = 7
        let marked = try watcher.add(target, expecting: [], reason: "noRoute")
        let plain = try watcher.add(.address(far), expecting: [], reason: "noRoute")
        try lab.host.ip("route add default via 10.9.1.2 table 107")
        try lab.host.ip("rule add fwmark 7 lookup 107")
        try watcher.expect(marked, .reachable, on: "eth1")
        try watcher.expectNoChange()
        try lab.defaultRoute()
        try watcher.expect(plain, .reachable, on: "eth0")
        try lab.host.ip("rule del fwmark 7 lookup 107")
        try watcher.expect(marked, .reachable, on: "eth0")
        try watcher.expectNoChange()
    }

    @Test("A target bound to an interface is reachable only by a route over that interface")
    func boundToInterface() throws {
        let lab = try Lab(links: 2)
        let watcher = try Watcher(lab.host)
        var target = Target.address(far)
        target.interfaceName = "eth1"
        // The plain IPv4 lookup would invent an answer here.
        let id = try watcher.add(target, expecting: [], reason: nil)
        #expect(try lab.routeGet("\(far) oif eth1")?.interface == "eth1")
        target.interfaceName = "eth0"
        try watcher.add(target, expecting: .reachable)
        try lab.host.ip("route add default via 10.9.1.2 dev eth1 metric 500")
        try watcher.expect(id, .reachable, on: "eth1")
        try lab.carrier(false, of: 1)
        try watcher.expect(id, [], reason: "linkDown", on: "eth1")
        try watcher.expectNoChange()
    }

    @Test(
        "A rule for another user's uid affects only targets with that uid",
        .needs(canBecomeNobody, "an unprivileged uid"))
    func userRule() throws {
        let lab = try Lab()
        let watcher = try Watcher(lab.host)
        let ours = try watcher.add(.address(far), expecting: .reachable)
        var target = Target.address(far)
        target.uid = UInt32(TEST_NOBODY)
        let theirs = try watcher.add(target, expecting: .reachable)
        try lab.host.ip("rule add uidrange 65534-65534 unreachable")
        try watcher.expect(theirs, [], reason: "noRoute")
        try watcher.expectNoChange()
        #expect(try watcher.state(ours).flags == .reachable)
        #expect(try lab.routeGet("\(far) uid 65534") == nil)
        try lab.host.ip("rule del uidrange 65534-65534 unreachable")
        try watcher.expect(theirs, .reachable)
        try watcher.expectNoChange()
    }
}
