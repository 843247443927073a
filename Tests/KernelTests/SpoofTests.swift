// SPDX-License-Identifier: MIT
import CReach
import CTestSupport
import Testing

@Suite(.blocking, .needsNamespaces, .timeLimit(.minutes(10)))
struct SpoofTests {
    @Test("Messages forged by a process, unicast or multicast, are dropped and counted")
    func forged() throws {
        let lab = try Lab()
        let watcher = try Watcher(lab.host)
        let id = try watcher.add(.address("192.0.2.1"), expecting: .reachable)
        var ports = [UInt32](repeating: 0, count: 8)
        let count = try lab.host.run { unsafe test_rtnetlink_ports(&ports, ports.count) }
        try #require(count == 1, "the monitor's event socket, and no other that listens")
        let index = CInt(try lab.host.index(of: "eth0"))
        let before = try watcher.stats().spoofed

        let unicast = try lab.host.run { test_spoof(ports[0], 0, index) }
        try SystemFailure.check("forged unicast", unicast)
        // RTNLGRP_LINK and RTNLGRP_IPV4_ROUTE as the masks of struct sockaddr_nl.
        for group: UInt32 in [1 << 0, 1 << 6] {
            let multicast = try lab.host.run { test_spoof(0, group, index) }
            try SystemFailure.check("forged multicast", multicast)
        }
        try watcher.expectNoChange()
        #expect(try watcher.state(id).flags == .reachable)
        #expect(try watcher.stats().spoofed > before)
        #expect(try watcher.stats().malformed == 0)
    }
}
