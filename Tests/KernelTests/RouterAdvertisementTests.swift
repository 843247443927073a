// SPDX-License-Identifier: MIT
import CTestSupport
import Glibc
import NetworkReachability
import Testing

private let far6 = "2001:db8:ffff::1"
private let other = "2001:db8:eeee::"

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

    private var isSeen: Bool { watch.all.contains { $0.status.isReachable } }

    /// Advertises a route that soon expires, but not before the monitor has seen it.
    ///
    /// On a busy machine, a route of a few seconds may be gone by then. The next one is new, and so announced, since a
    /// lifetime of 0 removes what has expired but wasn't collected.
    ///
    /// - Returns: The route's lifetime in seconds.
    private func advertiseBriefly() throws -> UInt16 {
        var lifetime: UInt16 = 1
        repeat {
            lifetime *= 2
            try advertise(lifetime: 0)
            try advertise(lifetime: lifetime)
            while try !isSeen && lab.routeGet(far6) != nil { usleep(20_000) }
        } while !isSeen
        return lifetime
    }

    @Test("A target is unreachable when the lifetime of its router's default route ends")
    func expiry() async throws {
        _ = try advertiseBriefly()
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
        let lifetime = try advertiseBriefly()
        try advertise(lifetime: 1800)
        try await watch.expect(.reachable)
        // This route expires after the first lifetime. The refreshed route must outlive it.
        try lab.host.ip("-6 route add unreachable \(other)/48 metric 4000")
        try lab.host.ip("-6 route add \(other)/48 via 2001:db8:9::2 expires \(lifetime + 1)")
        while try lab.routeGet(other + "1") != nil { usleep(20_000) }
        #expect(try lab.routeGet(far6) != nil && watch.all.last?.status.isReachable == true)
        // The next change of the target is the end of the route.
        try advertise(lifetime: 0)
        try await watch.expect([], .noRoute)
        #expect(try lab.routeGet(far6) == nil)
    }

    @Test("An advertisement revives a route that expired but was not collected, without an event")
    func revival() async throws {
        _ = try advertiseBriefly()
        try await watch.expect(.reachable)
        try await watch.expect([], .noRoute)
        try advertise(lifetime: 1800)
        try await watch.expect(.reachable)
        #expect(try lab.routeGet(far6) != nil)
    }
}
