// SPDX-License-Identifier: MIT
import NetworkReachability
import Testing

@Suite(.blocking, .needsNamespaces, .timeLimit(.minutes(10)))
struct LocalWiFiTests {
    private static let direct: ReachabilityFlags = [.reachable, .isDirect]

    private func current(in host: Namespace) throws -> ReachabilitySnapshot {
        try host.run { try NetworkReachabilityManager(target: .localWiFi).currentSnapshot() }
    }

    @Test("The only veth link of a container is its local network while it exists and has carrier")
    func veth() async throws {
        let lab = try Lab()
        let watch = try Watch(.localWiFi, in: lab.host)
        let first = try await watch.expect(Self.direct)
        #expect(first.interface?.name == "eth0")
        #expect(first.source?.description == "10.9.0.1")
        #expect(try current(in: lab.host) == first)
        try lab.carrier(false)
        try await watch.expect([], .linkDown)
        try lab.carrier(true)
        #expect(try await watch.expect(Self.direct).interface?.name == "eth0")
        try lab.host.ip("link del eth0")
        let gone = try await watch.expect([], .linkDown)
        #expect(gone.interface == nil)
        #expect(try current(in: lab.host) == gone)
    }

    @Test(
        "A macvlan link of a container is its local network once it has an address",
        .needs(Features.macvlan, "macvlan"))
    func macvlan() async throws {
        let (host, outside) = (try Namespace(), try Namespace())
        try outside.ip("link add p0 type veth peer name q0")
        try outside.ip("link set q0 up")
        try outside.ip("link set p0 up")
        try outside.ip("link add link p0 name eth0 netns \(host.path) type macvlan")
        try host.ip("link set eth0 up")
        let watch = try Watch(.localWiFi, in: host)
        try host.ip("addr add 10.9.0.1/24 dev eth0")
        let found = try await watch.first { $0.source?.description == "10.9.0.1" }
        #expect(found.flags == Self.direct)
        #expect(try current(in: host) == found)
    }

    @Test("A veth pair within one namespace is no local network until one end moves out")
    func movesOut() async throws {
        let (host, outside) = (try Namespace(), try Namespace())
        try host.ip("link add eth0 type veth peer name p0")
        try host.ip("link set eth0 up")
        try host.ip("link set p0 up")
        try host.ip("addr add 10.9.0.1/24 dev eth0")
        try host.awaitLinkLocal("eth0")
        try host.awaitLinkLocal("p0")
        let watch = try await Watch(.localWiFi, in: host, expecting: [], .linkDown)
        try host.ip("link set p0 netns \(outside.path)")
        try outside.ip("link set p0 up")
        let found = try await watch.first { !$0.flags.isEmpty && $0.interface?.name == "eth0" }
        #expect(found.flags == Self.direct)
        try outside.ip("link set p0 netns \(host.path)")
        try host.ip("link set p0 up")
        try host.awaitLinkLocal("p0")
        try await watch.first { $0.flags.isEmpty }
        #expect(try current(in: host).flags.isEmpty)
    }
}
