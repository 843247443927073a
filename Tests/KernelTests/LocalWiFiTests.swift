// SPDX-License-Identifier: MIT
import Testing

@Suite(.blocking, .needsNamespaces, .timeLimit(.minutes(10)))
struct LocalWiFiTests {
    private static let direct: Flags = [.reachable, .direct]

    @Test("The only veth link of a container is its local network while it exists and has carrier")
    func veth() throws {
        let lab = try Lab()
        let watcher = try Watcher(lab.host)
        let id = try watcher.add(.localWiFi, expecting: Self.direct)
        let state = try watcher.state(id)
        #expect(state.interfaceName == "eth0" && state.source == "10.9.0.1", "\(state)")
        #expect(try check(.localWiFi, in: lab.host) == state)
        try lab.carrier(false)
        try watcher.expect(id, [], reason: "linkDown")
        try lab.carrier(true)
        try watcher.expect(id, Self.direct, on: "eth0")
        try lab.host.ip("link del eth0")
        let gone = try watcher.expect(id, [], reason: "linkDown")
        #expect(gone.interface == 0 && gone.interfaceName.isEmpty, "\(gone)")
        #expect(try check(.localWiFi, in: lab.host) == gone)
    }

    @Test(
        "A macvlan link of a container is its local network once it has an address",
        .needs(Features.macvlan, "macvlan"))
    func macvlan() throws {
        let (host, outside) = (try Namespace(), try Namespace())
        try outside.ip("link add p0 type veth peer name q0")
        try outside.ip("link set q0 up")
        try outside.ip("link set p0 up")
        try outside.ip("link add link p0 name eth0 netns \(host.path) type macvlan")
        try host.ip("link set eth0 up")
        let watcher = try Watcher(host)
        let id = try watcher.add(.localWiFi)
        try host.ip("addr add 10.9.0.1/24 dev eth0")
        try watcher.expectSoon(id) { $0.flags == Self.direct && $0.source == "10.9.0.1" }
        #expect(try check(.localWiFi, in: host) == watcher.state(id))
    }

    @Test("A veth pair within one namespace is no local network until one end moves out")
    func movesOut() throws {
        let (host, outside) = (try Namespace(), try Namespace())
        try host.ip("link add eth0 type veth peer name p0")
        try host.ip("link set eth0 up")
        try host.ip("link set p0 up")
        try host.ip("addr add 10.9.0.1/24 dev eth0")
        try host.awaitLinkLocal("eth0")
        try host.awaitLinkLocal("p0")
        let watcher = try Watcher(host)
        let id = try watcher.add(.localWiFi, expecting: [], reason: "linkDown")
        try host.ip("link set p0 netns \(outside.path)")
        try outside.ip("link set p0 up")
        try watcher.expectSoon(id) { $0.flags == Self.direct && $0.interfaceName == "eth0" }
        try outside.ip("link set p0 netns \(host.path)")
        try host.ip("link set p0 up")
        try host.awaitLinkLocal("p0")
        try watcher.expectSoon(id) { $0.flags.isEmpty }
        #expect(try check(.localWiFi, in: host).flags.isEmpty)
    }
}
