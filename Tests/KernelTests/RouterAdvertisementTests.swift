// SPDX-License-Identifier: MIT
import CTestSupport
import Testing

private let far6 = "2001:db8:ffff::1"

@Suite(.blocking, .needsNamespaces, .timeLimit(.minutes(10)))
struct RouterAdvertisementTests {
    /// A host that has an address and accepts router advertisements, and a router.
    private static func lab() throws -> Lab {
        let lab = try Lab(defaultRoute: false)
        try lab.host.set("ipv6/conf/eth0/accept_ra", to: "1")
        return lab
    }

    @Test("A target is unreachable when the lifetime of its router's default route ends")
    func expiry() throws {
        let lab = try Self.lab()
        let watcher = try Watcher(lab.host)
        let id = try watcher.add(.address(far6), expecting: [], reason: "noRoute")
        try lab.advertise(router: 3)
        let state = try watcher.expect(id, .reachable, on: "eth0")
        #expect(state.gateway.hasPrefix("fe80::"))
        // RTM_DELROUTE comes with the garbage collection, up to 30 s later. The monitor's timer
        // does not wait for it.
        try watcher.expect(id, [], reason: "noRoute")
        #expect(try lab.routeGet(far6) == nil)
    }

    @Test("An advertisement that extends the lifetime keeps the route, without an event")
    func refresh() throws {
        let lab = try Self.lab()
        let watcher = try Watcher(lab.host)
        let id = try watcher.add(.address(far6), expecting: [], reason: "noRoute")
        try lab.advertise(router: 2)
        try watcher.expect(id, .reachable)
        // Longer than a busy machine takes for the steps below.
        try lab.advertise(router: 60)
        // This route expires after the first lifetime. The refreshed route must outlive it.
        try lab.host.ip("-6 route add 2001:db8:eeee::/48 via 2001:db8:9::2 expires 3")
        let other = try watcher.add(.address("2001:db8:eeee::1"), expecting: .reachable)
        try lab.host.ip("-6 route add unreachable 2001:db8:eeee::/48 metric 4000")
        try watcher.expect(other, [], reason: "unreachable")
        try watcher.expectNoChange()
        #expect(try watcher.state(id).flags == .reachable)
        #expect(try lab.routeGet(far6) != nil)
        try lab.advertise(router: 0)
        try watcher.expect(id, [], reason: "noRoute")
        #expect(try lab.routeGet(far6) == nil)
    }

    @Test("An advertisement revives a route that expired but was not collected, without an event")
    func revival() throws {
        let lab = try Self.lab()
        let watcher = try Watcher(lab.host)
        let id = try watcher.add(.address(far6), expecting: [], reason: "noRoute")
        try lab.advertise(router: 2)
        try watcher.expect(id, .reachable)
        try watcher.expect(id, [], reason: "noRoute")
        try lab.advertise(router: 1800)
        try watcher.expect(id, .reachable)
        #expect(try lab.routeGet(far6) != nil)
    }
}

extension Lab {
    fileprivate func advertise(router: UInt16) throws {
        let result = try peer.run { unsafe test_send_advertisement("p0", router) }
        try SystemFailure.check("router advertisement", result)
    }
}
