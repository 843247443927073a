// SPDX-License-Identifier: MIT
import CTestSupport
import NetworkReachability
import Testing

private let far6 = "2001:db8:ffff::1"
/// A lifetime in seconds, longer than a busy machine takes until a monitor sees the route.
private let short: UInt16 = 5

@Suite(.blocking, .needsNamespaces, .timeLimit(.minutes(10)))
struct RouterAdvertisementTests {
    /// Has an address and accepts router advertisements, which its peer sends.
    private let lab: Lab
    private let watch: Watch

    init() async throws {
        lab = try Lab(defaultRoute: false)
        try lab.host.set("ipv6/conf/eth0/accept_ra", to: "1")
        watch = try await Watch(.address(far6), in: lab.host, expecting: [], .noRoute)
    }

    private func advertise(lifetime: UInt16) throws {
        let result = try lab.peer.run { unsafe test_send_advertisement("p0", lifetime) }
        try SystemFailure.check("router advertisement", result)
    }

    @Test("A target is unreachable when the lifetime of its router's default route ends")
    func expiry() async throws {
        try advertise(lifetime: short)
        let snapshot = try await watch.expect(.reachable)
        #expect(snapshot.interface?.name == "eth0")
        #expect(snapshot.gateway?.description.hasPrefix("fe80::") == true)
        // RTM_DELROUTE comes with the garbage collection, up to 30 s later. The monitor's timer
        // does not wait for it.
        try await watch.expect([], .noRoute)
        #expect(try lab.routeGet(far6) == nil)
    }

    @Test("An advertisement that extends the lifetime keeps the route, without an event")
    func refresh() async throws {
        let other = "2001:db8:eeee::"
        try lab.host.ip("-6 route add unreachable \(other)/48 metric 4000")
        let end = try await Watch(
            .address(other + "1"), in: lab.host, expecting: [], .unreachable)
        try advertise(lifetime: short)
        try await watch.expect(.reachable)
        try advertise(lifetime: 1800)
        // This route expires after the first lifetime. The refreshed route must outlive it.
        try lab.host.ip("-6 route add \(other)/48 via 2001:db8:9::2 expires \(short + 1)")
        try await end.expect(.reachable)
        try await end.expect([], .unreachable)
        #expect(try lab.routeGet(far6) != nil)
        // The next change of the target is the end of the route.
        try advertise(lifetime: 0)
        try await watch.expect([], .noRoute)
        #expect(try lab.routeGet(far6) == nil)
    }

    @Test("An advertisement revives a route that expired but was not collected, without an event")
    func revival() async throws {
        try advertise(lifetime: short)
        try await watch.expect(.reachable)
        try await watch.expect([], .noRoute)
        try advertise(lifetime: 1800)
        try await watch.expect(.reachable)
        #expect(try lab.routeGet(far6) != nil)
    }
}
