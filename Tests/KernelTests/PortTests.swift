// SPDX-License-Identifier: MIT
import Testing

private let far = "192.0.2.1"

/// Bonds and teams with their ports, and links on top of another link.
@Suite(.blocking, .needsNamespaces, .timeLimit(.minutes(10)))
struct PortTests {
    /// A link over both cables, with the default route.
    private func lab(_ kind: String) throws -> Lab {
        let lab = try Lab(links: 2, defaultRoute: false)
        var commands = ["link add agg0 type \(kind)"]
        for port in ["eth0", "eth1"] {
            commands += ["link set \(port) down", "link set \(port) master agg0"]
        }
        try lab.host.batch(
            commands + [
                "link set agg0 up", "addr add 10.8.0.1/24 dev agg0",
                "route add default via 10.8.0.2",
            ])
        return lab
    }

    /// Checks that a target is reachable until the last port loses carrier.
    private func losePorts(_ lab: Lab, afterFirst: () throws -> Void) throws {
        let watcher = try Watcher(lab.host)
        let id = try watcher.add(.address(far))
        try watcher.expectSoon(id) { $0.flags == .reachable }
        try lab.carrier(false)
        // The monitor notices the first port's loss, as its own target shows. Nothing else changes.
        let port = try watcher.add(.address("10.9.0.2"))
        try watcher.expectSoon(port) { $0.flags == [] }
        try afterFirst()
        try watcher.expectNoChange()
        #expect(try watcher.state(id).flags == .reachable)
        try lab.carrier(false, of: 1)
        try watcher.expect(id, [], reason: "linkDown", on: "agg0")
        #expect(try lab.routeGet(far)?.interface == "agg0")
        try lab.carrier(true)
        try watcher.expect(id, .reachable, on: "agg0")
    }

    @Test("A failover of a bond causes no change", .needs(Features.bond, "bonds"))
    func bond() throws {
        let lab = try lab("bond mode active-backup miimon 50")
        try losePorts(lab) {
            let deadline = monotonicSeconds() + Watcher.patience
            while monotonicSeconds() < deadline {
                if try lab.host.ip("-d link show agg0").contains("active_slave eth1") { return }
            }
            Issue.record("no failover")
        }
    }

    @Test("A team has carrier until its last port loses it", .needs(Features.team, "teams"))
    func team() throws {
        try losePorts(lab("team")) {}
    }

    @Test(
        "An ipvlan link loses carrier with the link below it", .needs(Features.ipvlan, "ipvlan"),
        arguments: ["l2", "l3"])
    func ipvlan(mode: String) throws {
        try loseLower("ipvlan mode \(mode)")
    }

    @Test("A macsec link loses carrier with the link below it", .needs(Features.macsec, "macsec"))
    func macsec() throws {
        try loseLower("macsec")
    }

    private func loseLower(_ kind: String) throws {
        let lab = try Lab(defaultRoute: false)
        try lab.host.batch([
            "link add link eth0 name top0 type \(kind)", "link set top0 up",
            "addr add 10.8.0.1/24 dev top0", "route add default via 10.8.0.2",
        ])
        let watcher = try Watcher(lab.host)
        let id = try watcher.add(.address(far))
        try watcher.expectSoon(id) { $0.flags == .reachable }
        try lab.carrier(false)
        try watcher.expect(id, [], reason: "linkDown", on: "top0")
        #expect(try lab.routeGet(far)?.interface == "top0")
        try lab.carrier(true)
        try watcher.expect(id, .reachable, on: "top0")
    }

    @Test("A capture link with carrier makes no target reachable", .needs(Features.nlmon, "nlmon"))
    func capture() throws {
        let host = try Namespace()
        try host.batch([
            "link add nlmon0 type nlmon", "addr add 10.9.0.1/24 dev nlmon0", "link set nlmon0 up",
            "route add default via 10.9.0.2",
        ])
        let watcher = try Watcher(host)
        try watcher.add(.address(far), expecting: [], reason: "linkDown")
        try watcher.add(.internet, expecting: [], reason: "linkDown")
        try watcher.add(.localWiFi, expecting: [], reason: "linkDown")
        #expect(try host.ip("route get \(far)").contains("dev nlmon0"))
        #expect(try host.ip("link show nlmon0").contains("LOWER_UP"))
        try watcher.expectNoChange()
    }
}
