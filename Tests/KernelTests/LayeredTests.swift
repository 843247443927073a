// SPDX-License-Identifier: MIT
import CTestSupport
import Glibc
import Testing

private let far = "192.0.2.1"

@Suite(.blocking, .needsNamespaces, .timeLimit(.minutes(10)))
struct LayeredTests {
    @Test(
        "A link that leaves a bridge, announced as RTM_DELLINK, causes no change",
        .needs(Features.bridge, "bridges"))
    func noMaster() throws {
        let lab = try Lab()
        try lab.host.ip("link add br0 type bridge")
        try lab.host.ip("link set eth0 master br0")
        let watcher = try Watcher(lab.host)
        let id = try watcher.add(.address(far), expecting: .reachable)
        var target = Target.address("10.9.0.2")
        target.interfaceName = "eth0"
        let bound = try watcher.add(target, expecting: [.reachable, .direct])
        try lab.host.ip("link set eth0 nomaster")
        try watcher.expectNoChange()
        #expect(try watcher.state(id).interfaceName == "eth0")
        #expect(try watcher.state(bound).interfaceName == "eth0")
    }

    @Test("A bridge has carrier until its last port loses it", .needs(Features.bridge, "bridges"))
    func bridgePort() throws {
        let lab = try Lab(links: 2, defaultRoute: false)
        try lab.host.batch([
            "link add br0 type bridge", "link set eth0 master br0", "link set eth1 master br0",
            "link set br0 up", "addr add 10.8.0.1/24 dev br0", "route add default via 10.8.0.2",
        ])
        let watcher = try Watcher(lab.host)
        let id = try watcher.add(.address(far))
        try watcher.expectSoon(id) { $0.flags == .reachable }
        try lab.carrier(false)
        // The monitor notices the first port's loss, as its own target shows. Nothing else changes.
        let port = try watcher.add(.address("10.9.0.2"))
        try watcher.expectSoon(port) { $0.flags == [] }
        try watcher.expectNoChange()
        try lab.carrier(false, of: 1)
        try watcher.expect(id, [], reason: "linkDown", on: "br0")
        try lab.carrier(true)
        try watcher.expect(id, .reachable, on: "br0")
    }

    @Test(
        "A macvlan link loses carrier with the link below it", .needs(Features.macvlan, "macvlan"))
    func macvlan() throws {
        let lab = try Lab(defaultRoute: false)
        try lab.host.batch([
            "link add mac0 link eth0 type macvlan", "link set mac0 up",
            "addr add 10.8.0.1/24 dev mac0", "route add default via 10.8.0.2",
        ])
        let watcher = try Watcher(lab.host)
        let id = try watcher.add(.address(far), expecting: .reachable)
        try lab.carrier(false)
        try watcher.expect(id, [], reason: "linkDown", on: "mac0")
        #expect(try lab.routeGet(far)?.interface == "mac0")
        try lab.carrier(true)
        try watcher.expect(id, .reachable, on: "mac0")
        try watcher.expectNoChange()
    }

    @Test("A target over a dormant link requires a connection until the link is up")
    func dormant() throws {
        let lab = try Lab()
        let watcher = try Watcher(lab.host)
        let id = try watcher.add(.address(far), expecting: .reachable)
        try lab.host.ip("link set eth0 mode dormant")
        try lab.carrier(false)
        // A late event of the kernel's linkwatch may show the link as dormant first.
        try watcher.expectSoon(id) { $0.flags == [] && $0.reason == "linkDown" }
        try lab.carrier(true)
        try watcher.expect(id, [.reachable, .connectionRequired], reason: "dormant", on: "eth0")
        #expect(try lab.routeGet(far)?.interface == "eth0")
        // A supplicant does this when 802.1X or WPA has finished.
        try lab.host.ip("link set eth0 state up")
        try watcher.expect(id, .reachable)
        try watcher.expectNoChange()
    }

    @Test("Without any address, targets over a tunnel have no source", .needs(Features.tun, "tun"))
    func unnumberedTunnel() throws {
        let host = try Namespace()
        let reader = unsafe test_tun_open(host.descriptor, "tun0", 0)
        try SystemFailure.check("tun0", reader)
        defer { close(reader) }
        try host.batch(["link set tun0 up", "route add default dev tun0"])
        try host.ip("-6 route add default dev tun0")
        try host.ip("-6 addr flush dev tun0")
        let watcher = try Watcher(host)
        let four = try watcher.add(.address(far), expecting: [], reason: "noSource")
        let six = try watcher.add(.address("2001:db8:ffff::1"), expecting: [], reason: "noSource")
        try watcher.expectNoChange()
        try host.ip("addr add 10.7.0.1/32 dev tun0")
        try watcher.expect(four, [.reachable, .transient], on: "tun0")
        try host.ip("addr add 2001:db8:7::1/128 dev tun0 nodad")
        try watcher.expect(six, [.reachable, .transient], on: "tun0")
        try host.ip("addr del 10.7.0.1/32 dev tun0")
        try watcher.expect(four, [], reason: nil)
    }

    @Test("A tunnel without an address uses one of lo as its source", .needs(Features.tun, "tun"))
    func borrowedAddress() throws {
        let host = try Namespace()
        let reader = unsafe test_tun_open(host.descriptor, "tun0", 0)
        try SystemFailure.check("tun0", reader)
        defer { close(reader) }
        try host.batch(["link set tun0 up", "route add default dev tun0"])
        let watcher = try Watcher(host)
        let id = try watcher.add(.address(far), expecting: [], reason: "noSource")
        try host.ip("addr add 10.7.0.1/32 dev lo")
        try watcher.expect(id, [.reachable, .transient], on: "tun0")
        #expect(try watcher.state(id).source == "10.7.0.1")
    }

    @Test("A persistent tunnel without a reader has no carrier", .needs(Features.tun, "tun"))
    func readerDies() throws {
        let host = try Namespace()
        let reader = unsafe test_tun_open(host.descriptor, "tun0", 1)
        try SystemFailure.check("tun0", reader)
        try host.batch([
            "addr add 10.7.0.1/24 dev tun0", "link set tun0 up", "route add default dev tun0",
        ])
        let watcher = try Watcher(host)
        let id = try watcher.add(.address(far), expecting: [.reachable, .transient])
        close(reader)
        try watcher.expect(id, [], reason: "linkDown", on: "tun0")
        #expect(try host.ip("route get \(far)").contains("dev tun0"))
        let next = unsafe test_tun_open(host.descriptor, "tun0", 0)
        try SystemFailure.check("tun0 again", next)
        try watcher.expect(id, [.reachable, .transient], on: "tun0")
        // The tunnel is not persistent any more, so it ends with its reader.
        close(next)
        try watcher.expect(id, [], reason: nil)
    }
}
