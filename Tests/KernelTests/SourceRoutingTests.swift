// SPDX-License-Identifier: MIT
import CReach
import Testing

private let far = "192.0.2.1"
private let far6 = "2001:db8:ffff::1"

/// Where routes or rules select by source, a verdict agrees with a connected socket.
@Suite(.blocking, .needsNamespaces, .timeLimit(.minutes(10)))
struct SourceRoutingTests {
    /// Expects a change of each target, over eth0 if it is reachable, else with the reason noRoute.
    private static func expect(
        _ ids: [UInt64], _ flags: Flags, of watcher: Watcher,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        for id in ids {
            try watcher.expect(
                id, flags, reason: flags.isEmpty ? "noRoute" : "",
                on: flags.isEmpty ? nil : "eth0", sourceLocation: sourceLocation)
        }
    }

    @Test("IPv6: a default route with a source prefix makes targets reachable")
    func sourceSpecificDefault() throws {
        let lab = try Lab(defaultRoute: false)
        let watcher = try Watcher(lab.host)
        let id = try watcher.add(.address(far6), expecting: [], reason: "noRoute")
        let internet = try watcher.add(.internet, expecting: [], reason: "noRoute")
        let route = "default from 2001:db8:9::/64 via 2001:db8:9::2 dev eth0"
        try lab.host.ip("-6 route add \(route)")
        try Self.expect([id, internet], .reachable, of: watcher)
        #expect(try watcher.state(id).source == "2001:db8:9::1")
        #expect(try lab.routeGet(far6) == nil)
        for target in [Target.address(far6), .internet] {
            #expect(try check(target, in: lab.host).flags == .reachable)
        }
        try lab.host.ip("-6 route del \(route)")
        try Self.expect([id, internet], [], of: watcher)
        for target in [Target.address(far6), .internet] {
            #expect(try check(target, in: lab.host).reason == "noRoute")
        }
        try lab.host.ip("-6 route add \(route)")
        try Self.expect([id, internet], .reachable, of: watcher)
        // Deletes the only address within the source prefix of the route.
        try lab.host.ip("addr del 2001:db8:9::1/64 dev eth0")
        try Self.expect([id, internet], [], of: watcher)
        try lab.host.ip("addr add 2001:db8:9::1/64 dev eth0 nodad")
        try lab.host.ip("-6 route replace \(route)")
        try Self.expect([id, internet], .reachable, of: watcher)
        try watcher.expectNoChange()
    }

    @Test("IPv6: the preferred source address decides which default route applies")
    func deprecatedSource() throws {
        let lab = try Lab(links: 2, defaultRoute: false)
        try lab.host.ip("-6 route add default from 2001:db8:9::/64 via 2001:db8:9::2 dev eth0")
        try lab.host.ip("addr change 2001:db8:9:1::1/64 dev eth1 preferred_lft 0")
        let watcher = try Watcher(lab.host)
        let id = try watcher.add(.address(far6), expecting: .reachable)
        try lab.host.ip("addr change 2001:db8:9:1::1/64 dev eth1 preferred_lft forever")
        try lab.host.ip("addr change 2001:db8:9::1/64 dev eth0 preferred_lft 0")
        try watcher.expect(id, [], reason: "noRoute")
        try lab.host.ip("-6 route add default via 2001:db8:9:1::2 dev eth1")
        try watcher.expect(id, .reachable, on: "eth1")
        try watcher.expectNoChange()
    }

    @Test("IPv6: a rule by source prefix makes the only default route usable")
    func sourceRule6() throws {
        let lab = try Lab(defaultRoute: false)
        let watcher = try Watcher(lab.host)
        let id = try watcher.add(.address(far6), expecting: [], reason: "noRoute")
        try lab.host.ip("-6 route add default via 2001:db8:9::2 table 77")
        try lab.host.ip("-6 rule add from 2001:db8:9::/64 lookup 77")
        try watcher.expect(id, .reachable, on: "eth0")
        try lab.host.ip("-6 route add prohibit 2001:db8:ffff::/48 table 77")
        try watcher.expect(id, [], reason: "prohibited")
        try lab.host.ip("-6 route del prohibit 2001:db8:ffff::/48 table 77")
        try watcher.expect(id, .reachable, on: "eth0")
        try lab.host.ip("-6 rule del from 2001:db8:9::/64 lookup 77")
        try watcher.expect(id, [], reason: "noRoute")
        try watcher.expectNoChange()
    }

    @Test("IPv4: a rule that names the source of the first lookup decides", arguments: [1, 100])
    func sourceRule4(targets: Int) throws {
        let lab = try Lab(links: 2)
        let watcher = try Watcher(lab.host)
        let id = try watcher.add(.address(far), expecting: .reachable)
        var others: [UInt64] = []
        for number in 1..<targets {
            others.append(
                try watcher.add(.address("203.0.113.\(number)"), expecting: .reachable))
        }
        try lab.host.ip("rule add from 10.9.0.1 prohibit")
        try watcher.expect(id, [], reason: "prohibited")
        for other in others { try watcher.expect(other, [], reason: "prohibited") }
        try lab.host.ip("route add default via 10.9.1.2 table 77")
        try lab.host.ip("rule add from 10.9.0.0/24 lookup 77 priority 5")
        try watcher.expect(id, .reachable, on: "eth1")
        for other in others { try watcher.expect(other, .reachable, on: "eth1") }
        try lab.host.ip("rule del from 10.9.0.0/24 lookup 77 priority 5")
        try watcher.expect(id, [], reason: "prohibited")
        for other in others { try watcher.expect(other, [], reason: "prohibited") }
        // The first answer has another source now, which no rule names.
        try lab.host.ip("route replace default via 10.9.1.2")
        try watcher.expect(id, .reachable, on: "eth1")
        for other in others { try watcher.expect(other, .reachable, on: "eth1") }
        try watcher.expectNoChange()
    }

    @Test(
        "IPv4: a socket bound to a link has a source without a route, so a rule by source applies"
    )
    func sourceRuleOfLink4() throws {
        let lab = try Lab(defaultRoute: false)
        let watcher = try Watcher(lab.host)
        let id = try watcher.add(
            Target(remote: far, interfaceName: "eth0"), expecting: [], reason: "noRoute")
        try lab.host.ip("route add default via 10.9.0.2 table 77")
        try lab.host.ip("rule add from 10.9.0.1 lookup 77")
        try watcher.expect(id, .reachable, on: "eth0")
        #expect(try watcher.state(id).gateway == "10.9.0.2")
        try lab.host.ip("route del default table 77")
        try watcher.expect(id, [], reason: "noRoute")
        try watcher.expectNoChange()
    }

    @Test(
        "IPv4: multicast leaves by the link that has the source, whatever the route says",
        arguments: [0, 100])
    func multicast(others: Int) throws {
        let lab = try Lab(links: 2)
        let watcher = try Watcher(lab.host)
        let id = try watcher.add(.address("224.0.0.251"), expecting: [.reachable, .direct])
        // With many targets an event marks those that it can change.
        for number in 0..<others { _ = try watcher.add(.address("10.9.0.\(number + 100)")) }
        try lab.host.ip("addr del 10.9.1.1/24 dev eth1")
        try lab.host.ip("route add 224.0.0.0/4 dev eth1")
        try watcher.settle()
        #expect(try lab.routeGet("224.0.0.251")?.interface == "eth1")
        #expect(try watcher.state(id).interfaceName == "eth0")
        #expect(try watcher.state(id).source == "10.9.0.1")
        // The first lookup finds eth1, whose routes disappear with the link, without an event.
        try lab.host.ip("route del default")
        try watcher.expectNoChange()
        try lab.host.ip("link set eth1 down")
        try watcher.expect(id, [], reason: "noRoute")
        // The repeated lookup, half a second later, had nothing to correct.
        #expect(try watcher.settled().corrections == 0)
        try watcher.expectNoChange()
    }
}
