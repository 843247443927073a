// SPDX-License-Identifier: MIT
import CTestSupport
import Testing

private let far6 = "2001:db8:ffff::1"

@Suite(.blocking, .needsNamespaces, .timeLimit(.minutes(10)))
struct RouterAdvertisementTests {
    /// A host that has an address and listens for routers, and a router.
    private static func lab() throws -> Lab {
        let lab = try Lab(defaultRoute: false)
        try lab.host.set("ipv6/conf/eth0/accept_ra", to: "1")
        return lab
    }

    @Test("A router's default route ends with its lifetime, long before the kernel says so")
    func expiry() throws {
        let lab = try Self.lab()
        let watcher = try Watcher(lab.host)
        let id = try watcher.add(.address(far6), expecting: [], reason: "noRoute")
        try lab.advertise(router: 3)
        let state = try watcher.expect(id, .reachable, on: "eth0")
        #expect(state.gateway.hasPrefix("fe80::"))
        // RTM_DELROUTE comes with the garbage collection, up to 30 s later; a timer does not wait.
        try watcher.expect(id, [], reason: "noRoute")
        #expect(try lab.routeGet(far6) == nil)
    }

    @Test("A refresh of the lifetime is not announced, and keeps the route")
    func refresh() throws {
        let lab = try Self.lab()
        let watcher = try Watcher(lab.host)
        let id = try watcher.add(.address(far6), expecting: [], reason: "noRoute")
        try lab.advertise(router: 2)
        try watcher.expect(id, .reachable)
        // Longer than a busy machine takes for what follows.
        try lab.advertise(router: 60)
        // A route that really ends after the first lifetime: the refreshed one outlives it.
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

    @Test("A route that expired and is revived before it is collected is back, unannounced")
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

    @Test("A router that resigns is gone at once")
    func resignation() throws {
        let lab = try Self.lab()
        let watcher = try Watcher(lab.host)
        let id = try watcher.add(.address(far6), expecting: [], reason: "noRoute")
        try lab.advertise(router: 1800)
        try watcher.expect(id, .reachable)
        try lab.advertise(router: 0)
        try watcher.expect(id, [], reason: "noRoute")
        try watcher.expectNoChange()
    }

    @Test("An advertised prefix gives the address that the way out needs")
    func prefix() throws {
        let lab = try Self.lab()
        try lab.host.ip("-6 addr del 2001:db8:9::1/64 dev eth0")
        let watcher = try Watcher(lab.host)
        let id = try watcher.add(.address(far6), expecting: [], reason: "noRoute")
        try lab.advertise(router: 1800)
        // A route alone: the first state with it says why it does not help.
        try lab.host.ip("-6 route add default via 2001:db8:9::2 dev eth0 onlink metric 9")
        try watcher.expectNoChange()
        #expect(try watcher.state(id).reason == "noSource")
        try lab.advertise(router: 1800, prefix: 7200)
        let state = try watcher.expect(id, .reachable)
        #expect(state.source.hasPrefix("2001:db8:a:"))
    }
}

extension Lab {
    fileprivate func advertise(router: UInt16, prefix: UInt32 = 0) throws {
        var advertisement = test_advertisement(router_lifetime: router, prefix_lifetime: prefix)
        let result = unsafe test_send_advertisement(peer.descriptor, "p0", &advertisement)
        try SystemFailure.check("router advertisement", result)
    }
}
