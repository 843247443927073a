// SPDX-License-Identifier: MIT
import CReach
import Testing

private let far = "192.0.2.1"
private let far6 = "2001:db8:ffff::1"
private let waiting: Flags = [.reachable, .transient, .connectionRequired, .wwan]

@Suite(.blocking, .needsNamespaces, .timeLimit(.minutes(10)))
struct ModemTests {
    @Test(
        "A registered modem gives flags to targets without a usable route until they have one again"
    )
    func standsIn() throws {
        let lab = try Lab()
        let watcher = try Watcher(lab.host)
        let ids = try [.address(far), .address(far6), .internet].map { target in
            try watcher.add(target, expecting: .reachable)
        }
        let local = try watcher.add(.address("10.9.0.1"), expecting: [.reachable, .local, .direct])
        let own = try watcher.add(.localWiFi, expecting: [.reachable, .direct])
        try watcher.setModem(.REACH_MODEM_REGISTERED)
        try watcher.expectNoChange()
        try lab.host.ip("route del default")
        try watcher.expect(ids[0], waiting, reason: "notConnected")
        try lab.host.ip("-6 route del default")
        try watcher.expect(ids[1], waiting, reason: "notConnected")
        try watcher.expect(ids[2], waiting, reason: "notConnected")
        // The administrator's refusal takes precedence over the modem.
        try lab.host.ip("route add prohibit 192.0.2.0/24")
        try watcher.expect(ids[0], [], reason: "prohibited")
        try lab.host.ip("route del prohibit 192.0.2.0/24")
        try watcher.expect(ids[0], waiting, reason: "notConnected")
        try lab.defaultRoute()
        try watcher.expect(ids[0], .reachable)
        try watcher.expect(ids[1], .reachable)
        try watcher.expect(ids[2], .reachable)
        // Routes stay without carrier.
        try lab.carrier(false)
        for id in ids { try watcher.expect(id, waiting, reason: "notConnected") }
        #expect(try watcher.state(local).flags.contains(.local))
        try watcher.expect(own, [], reason: "linkDown")
        let lookups = try watcher.settled().lookups
        try watcher.setModem(.REACH_MODEM_LOCKED, on: "eth0")
        for id in ids {
            try watcher.expect(
                id, waiting.union(.interventionRequired), reason: "lockedSIM", on: "eth0")
        }
        #expect(try watcher.settled().lookups == lookups)
        try watcher.expectNoChange()
    }
}
