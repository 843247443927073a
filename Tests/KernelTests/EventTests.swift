// SPDX-License-Identifier: MIT
import CTestSupport
import Glibc
import NetworkReachability
import Testing

private let far = "192.0.2.1"
private let far6 = "2001:db8:ffff::1"

/// Events that say less, or more, than what has changed.
@Suite(.blocking, .needsNamespaces, .timeLimit(.minutes(10)))
struct EventTests {
    @Test("Moving a link to another namespace ends its paths until it is back and configured again")
    func namespaceMove() async throws {
        let lab = try Lab()
        let watch = try await Watch(.address(far), in: lab.host, expecting: .reachable)
        let six = try await Watch(.address(far6), in: lab.host, expecting: .reachable)
        let own = try await Watch(.address("10.9.0.1"), in: lab.host, expecting: .own)
        try lab.host.ip("link set eth0 netns \(lab.peer.path)")
        try await watch.expect([], .noRoute)
        try await six.expect([], .noRoute)
        try await own.expect([], .noRoute)
        try lab.peer.ip("link set eth0 netns \(lab.host.path)")
        try lab.host.ip("link set eth0 up")
        try lab.host.ip("addr add 10.9.0.1/24 dev eth0")
        try await own.expect(.own)
        try lab.host.ip("route add default via 10.9.0.2")
        #expect(try await watch.expect(.reachable).interface?.name == "eth0")
    }

    @Test("When the namespace of a link's other end is gone, targets over the link are unreachable")
    func peerNamespaceGone() async throws {
        let host = try Namespace()
        var peer: Namespace? = try Namespace()
        if let peer {
            try host.ip("link add eth0 type veth peer name p0 netns \(peer.path)")
            try peer.ip("link set p0 up")
        }
        try host.batch([
            "link set eth0 up", "addr add 10.9.0.1/24 dev eth0", "route add default via 10.9.0.2",
        ])
        try host.awaitLinkLocal("eth0")
        let watch = try await Watch(.address(far), in: host, expecting: .reachable)
        peer = nil
        // The kernel takes the namespace apart later: the link is down first, then gone.
        try await watch.expect([])
    }

    @Test("An address that fails duplicate address detection does not count")
    func duplicate() async throws {
        let lab = try Lab()
        try lab.host.ip("-6 addr del 2001:db8:9::1/64 dev eth0")
        try lab.host.set("ipv6/conf/eth0/accept_dad", to: "1")
        let watch = try await Watch(.address(far6), in: lab.host, expecting: [], .noSource)
        let own = try await Watch(.address("2001:db8:9::2"), in: lab.host, expecting: [])
        // This is the peer's own address. The kernel reports dadfailed when the peer answers.
        let watchers = lab.host.watchers
        var events = try Child(["ip", "-6", "monitor", "address"], in: lab.host.descriptor)
        while lab.host.watchers == watchers { sched_yield() }
        try lab.host.ip("addr add 2001:db8:9::2/64 dev eth0")
        var failed = false
        while !failed, let line = events.line() { failed = line.contains("dadfailed") }
        try #require(failed)
        // Its network's route stays, and with a link-local source the host reaches the peer.
        let direct = try await own.expect([.reachable, .isDirect])
        #expect(direct.interface?.name == "eth0")
        let other = try lab.host.run {
            try NetworkReachabilityManager(target: .address(far6)).currentSnapshot()
        }
        #expect(other.flags == [])
        try lab.host.ip("addr add 2001:db8:9::1/64 dev eth0 nodad")
        let reached = try await watch.first { !$0.flags.isEmpty }
        #expect(reached.source?.description == "2001:db8:9::1")
    }

    @Test("Messages forged by a process, unicast or multicast, are dropped and counted")
    func forged() async throws {
        let lab = try Lab()
        let watch = try await Watch(.address(far), in: lab.host, expecting: .reachable)
        var ports = [UInt32](repeating: 0, count: 8)
        let count = try lab.host.run { unsafe test_rtnetlink_ports(&ports, ports.count) }
        try #require(count == 1, "the monitor's event socket, and no other that listens")
        let index = CInt(try lab.host.index(of: "eth0"))
        let unicast = try lab.host.run { test_spoof(ports[0], 0, index) }
        try SystemFailure.check("forged unicast", unicast)
        // RTNLGRP_LINK and RTNLGRP_IPV4_ROUTE as the masks of struct sockaddr_nl.
        for group: UInt32 in [1 << 0, 1 << 6] {
            let multicast = try lab.host.run { test_spoof(0, group, index) }
            try SystemFailure.check("forged multicast", multicast)
        }
        // The next change is this one.
        try lab.host.ip("route replace unreachable default")
        try await watch.expect([], .unreachable)
        let statistics = try lab.host.statistics()
        #expect(statistics.spoofed > 0)
        #expect(statistics.malformed == 0)
    }
}
