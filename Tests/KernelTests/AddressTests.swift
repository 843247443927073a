// SPDX-License-Identifier: MIT
import Glibc
import Testing

private let far = "192.0.2.1"
private let far6 = "2001:db8:ffff::1"

@Suite(.blocking, .needsNamespaces, .timeLimit(.minutes(10)))
struct AddressTests {
    @Test("Deleting the only IPv4 address of a link ends every IPv4 path over it")
    func onlyAddress() throws {
        let lab = try Lab()
        let watcher = try Watcher(lab.host)
        let id = try watcher.add(.address(far), expecting: .reachable)
        let own = try watcher.add(.address("10.9.0.1"), expecting: .own)
        let neighbor = try watcher.add(.address("10.9.0.2"), expecting: [.reachable, .direct])

        try lab.host.ip("addr del 10.9.0.1/24 dev eth0")
        try watcher.expect(id, [], reason: "noRoute")
        try watcher.expect(own, [], reason: "noRoute")
        try watcher.expect(neighbor, [], reason: "noRoute")
        #expect(try lab.routeGet(far) == nil)
        try watcher.expectNoChange()

        try lab.host.ip("addr add 10.9.0.1/24 dev eth0")
        try watcher.expect(own, .own)
        try watcher.expect(neighbor, [.reachable, .direct])
        try lab.host.ip("route add default via 10.9.0.2")
        try watcher.expect(id, .reachable)
        try watcher.expectNoChange()
    }

    @Test("Deleting one of two addresses keeps the route, with the other address as the source")
    func oneOfTwoAddresses() throws {
        let lab = try Lab()
        try lab.host.ip("addr add 10.9.7.1/24 dev eth0")
        let watcher = try Watcher(lab.host)
        let id = try watcher.add(.address(far), expecting: .reachable)
        let pair = try watcher.add(.pair("10.9.0.1", far), expecting: .reachable)
        let other = try watcher.add(.pair("10.9.7.1", far), expecting: .reachable)
        #expect(try watcher.state(id).source == "10.9.0.1")

        try lab.host.ip("addr del 10.9.0.1/24 dev eth0")
        try watcher.expect(pair, [], reason: "notLocal")
        try watcher.expectNoChange()
        #expect(try watcher.state(id).source == "10.9.7.1")
        #expect(try lab.routeGet(far)?.source == "10.9.7.1")
        #expect(try watcher.state(other).flags == .reachable)
    }

    @Test("Many targets get a better source even if their route is deleted and added meanwhile")
    func fittingSource() throws {
        let lab = try Lab()
        let watcher = try Watcher(lab.host)
        // With so many targets, the monitor finds those of an event by the prefix of the matching route.
        let ids = try (1...100).map { try watcher.add(.address("2600::\($0)")) }
        try watcher.settle()
        let fitting = "2600::1:1/16 dev eth0 nodad noprefixroute"
        // The kernel announces a changed address at once, and a new one from a work queue.
        for (changes, source) in [
            (["add \(fitting)", "change \(fitting) preferred_lft forever"], "2600::1:1"),
            (["change \(fitting) preferred_lft 0"], "2001:db8:9::1"),
            (["change \(fitting) preferred_lft forever"], "2600::1:1"),
            (["del \(fitting)"], "2001:db8:9::1"),
        ] {
            try lab.host.ip("-6 route del default")
            for change in changes { try lab.host.ip("-6 addr \(change)") }
            try lab.host.ip("-6 route add default via 2001:db8:9::2")
            try watcher.settle()
            #expect(try lab.routeGet("2600::1")?.source == source)
            #expect(try ids.allSatisfy { try watcher.state($0).source == source }, "\(changes)")
        }
    }

    @Test("An IPv6 address that gets a peer address stays the host's own until it is deleted")
    func farEnd() throws {
        let lab = try Lab()
        try lab.host.addInet6("fd00::7", on: "eth0")
        let watcher = try Watcher(lab.host)
        let pair = try watcher.add(.pair("fd00::7", far6), expecting: .reachable)
        try lab.host.ip("-6 addr change fd00::7 peer fd00:1::1/64 dev eth0")
        try watcher.expectNoChange()
        try lab.host.ip("-6 addr del fd00::7 peer fd00:1::1/64 dev eth0")
        try watcher.expect(pair, [], reason: "notLocal")
        try lab.host.ip("-6 addr add fd00::7/64 dev eth0 nodad")
        try watcher.expect(pair, .reachable)
    }

    @Test("Deleting an address ends the routes that have it as their preferred source")
    func preferredSource() throws {
        let lab = try Lab(defaultRoute: false)
        try lab.host.ip("addr add 10.9.7.1/24 dev eth0")
        try lab.host.ip("route add default via 10.9.0.2 src 10.9.7.1")
        let watcher = try Watcher(lab.host)
        let id = try watcher.add(.address(far), expecting: .reachable)
        #expect(try watcher.state(id).source == "10.9.7.1")
        try lab.host.ip("addr del 10.9.7.1/24 dev eth0")
        try watcher.expect(id, [], reason: "noRoute")
        #expect(try lab.routeGet(far) == nil)
    }

    @Test("Without a global IPv6 address, a remote target is unreachable, whatever the lookup says")
    func noGlobalSource() throws {
        let lab = try Lab()
        let watcher = try Watcher(lab.host)
        let id = try watcher.add(.address(far6), expecting: .reachable)
        try lab.host.ip("-6 addr del 2001:db8:9::1/64 dev eth0")
        try watcher.expect(id, [], reason: "noSource")
        #expect(try lab.routeGet(far6)?.source.hasPrefix("fe80::") == true)
        try lab.host.ip("-6 addr flush dev eth0")
        try watcher.expectNoChange()
        #expect(try lab.routeGet(far6)?.source == "::1")
        #expect(try watcher.state(id).reason == "noSource")

        try lab.host.ip("addr add 2001:db8:9::1/64 dev eth0 nodad")
        try watcher.expect(id, .reachable)
        #expect(try lab.routeGet(far6)?.source == "2001:db8:9::1")
    }

    @Test("An address can be a source once duplicate address detection has finished")
    func tentative() throws {
        let lab = try Lab()
        try lab.host.ip("-6 addr del 2001:db8:9::1/64 dev eth0")
        try lab.host.set("ipv6/conf/eth0/accept_dad", to: "1")
        let watcher = try Watcher(lab.host)
        let id = try watcher.add(.address(far6), expecting: [], reason: "noSource")
        try lab.host.ip("addr add 2001:db8:9::7/64 dev eth0")
        try watcher.expect(id, .reachable)
        #expect(try watcher.state(id).source == "2001:db8:9::7")
        #expect(try !lab.host.ip("-6 addr show dev eth0").contains("tentative"))
    }

    @Test("An address kept while its link is down becomes a source again when the link is up")
    func kept() throws {
        let lab = try Lab()
        try lab.host.set("ipv6/conf/eth0/accept_dad", to: "1")
        try lab.host.set("ipv6/conf/eth0/keep_addr_on_down", to: "1")
        // There is no other address whose event could cause the lookup.
        try lab.host.ip("link set eth0 addrgenmode none")
        try lab.host.ip("-6 addr flush dev eth0")
        let watcher = try Watcher(lab.host)
        let id = try watcher.add(.address(far6))
        try lab.host.ip("-6 addr add 2001:db8:9::7/64 dev eth0")
        try watcher.expectSoon(id) { $0.source == "2001:db8:9::7" }
        try lab.host.ip("link set eth0 down")
        try watcher.expectSoon(id) { $0.reason == "noRoute" }
        #expect(try lab.host.ip("-6 addr show dev eth0").contains("2001:db8:9::7"))
        try lab.host.ip("link set eth0 up")
        try lab.host.ip("-6 route add default dev eth0")
        try watcher.expectSoon(id) { $0.source == "2001:db8:9::7" }
        #expect(try watcher.state(id).flags.contains(.reachable))
    }

    @Test("An address that fails duplicate address detection does not count")
    func duplicate() throws {
        let lab = try Lab()
        try lab.host.ip("-6 addr del 2001:db8:9::1/64 dev eth0")
        try lab.host.set("ipv6/conf/eth0/accept_dad", to: "1")
        let watcher = try Watcher(lab.host)
        let id = try watcher.add(.address(far6), expecting: [], reason: "noSource")
        let own = try watcher.add(.address("2001:db8:9::2"), expecting: [], reason: nil)
        // This is the peer's own address. The kernel reports dadfailed when the peer answers.
        let watchers = lab.host.watchers
        var events = try Child(["ip", "-6", "monitor", "address"], in: lab.host.descriptor)
        while lab.host.watchers == watchers { sched_yield() }
        try lab.host.ip("addr add 2001:db8:9::2/64 dev eth0")
        var failed = false
        while !failed, let line = events.line() { failed = line.contains("dadfailed") }
        try #require(failed)
        // Its network's route stays, and with a link-local source the host reaches the peer.
        try watcher.expect(own, [.reachable, .direct], on: "eth0")
        try watcher.expectNoChange()
        #expect(try watcher.state(id).flags == [])
    }

    @Test("When the lifetime of an address ends, a target that needs it is unreachable")
    func lifetime() throws {
        let lab = try Lab(defaultRoute: false)
        try lab.host.ip("addr flush dev eth0")
        try lab.host.ip("addr add 10.9.0.1/24 dev eth0 valid_lft 2 preferred_lft 2")
        try lab.host.ip("route add default via 10.9.0.2")
        let watcher = try Watcher(lab.host)
        let id = try watcher.add(.address(far), expecting: .reachable)
        try watcher.expect(id, [], reason: "noRoute")
        #expect(try lab.routeGet(far) == nil)
    }

    private static let addresses: [(String, Flags)] = [
        ("127.0.0.1", [.reachable, .local]), ("127.9.9.9", [.reachable, .local]),
        ("::1", [.reachable, .local]), ("10.9.0.1", .own), ("2001:db8:9::1", .own),
        ("::ffff:10.9.0.1", .own), ("10.9.0.2", [.reachable, .direct]),
        ("10.9.0.255", [.reachable, .direct]), ("2001:db8:9::2", [.reachable, .direct]),
        ("192.0.2.1", .reachable), ("::ffff:192.0.2.1", .reachable),
        ("224.0.0.251", [.reachable, .direct]),
    ]

    @Test(
        "The flags distinguish own addresses, those on a link, and those behind a router",
        arguments: addresses)
    func kinds(target: String, flags: Flags) throws {
        let lab = try Lab()
        let watcher = try Watcher(lab.host)
        try watcher.add(.address(target), expecting: flags)
    }

    @Test("In an empty namespace, only the loopback address is reachable")
    func emptyNamespace() throws {
        let host = try Namespace()
        let watcher = try Watcher(host)
        try watcher.add(.address("127.0.0.1"), expecting: [.reachable, .local])
        try watcher.add(.address(far), expecting: [], reason: "noRoute")
        try watcher.add(.address(far6), expecting: [], reason: "noRoute")
        try watcher.add(.internet, expecting: [], reason: nil)
        try watcher.add(.localWiFi, expecting: [], reason: nil)
        try watcher.expectNoChange()
    }

    @Test("disable_ipv6 makes an IPv6 target unreachable, and leaves an IPv4 target alone")
    func disableIPv6() throws {
        let lab = try Lab()
        let watcher = try Watcher(lab.host)
        let four = try watcher.add(.address(far), expecting: .reachable)
        let six = try watcher.add(.address(far6), expecting: .reachable)
        try lab.host.set("ipv6/conf/eth0/disable_ipv6", to: "1")
        try watcher.expect(six, [], reason: "noRoute")
        try watcher.expectNoChange()
        #expect(try watcher.state(four).flags == .reachable)
    }
}
