// SPDX-License-Identifier: MIT
import CTestSupport
import Glibc
import NetworkReachability
import NetworkReachabilityTesting
import Testing

/// Targets limited to a family or an interface class, and sequences of interfaces.
@Suite(.blocking, .needsNamespaces, .timeLimit(.minutes(10)))
struct RestrictionTests {
    /// Connects a socket that is bound to an interface, and returns its source.
    private static func source(over interface: String, in host: Namespace) throws -> String {
        var text = [CChar](repeating: 0, count: 64)
        let code = try host.run { unsafe test_connect("1.1.1.1", interface, &text, text.count) }
        try SystemFailure.check("no connection over \(interface)", code)
        return String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    /// The interfaces that lead to the internet by the overview of the tool.
    private static func exitsOfTool(in host: Namespace) throws -> [String] {
        try host.run([Tool.path, "status"]).split(separator: "\n").compactMap { line in
            let words = line.split(separator: " ").map(String.init)
            return words.firstIndex(of: "usable").flatMap { at in
                words.dropFirst(at + 1).first == "internet" ? words[at - 2] : nil
            }
        }
    }

    @Test("The exits of a host have the ways of sockets that are bound to their interfaces")
    func exits() async throws {
        let lab = try Lab(links: 3)
        try lab.host.ip("route add default via 10.9.1.2 metric 600")
        var updates = NetworkHost.updates(in: .path(lab.host.path)).makeAsyncIterator()
        let first = try #require(try await updates.next())
        #expect(try lab.host.run { try NetworkHost.current() }.exits == first.exits)
        #expect(first.ipv4.interface?.name == "eth0")
        #expect(first.exits.map(\.interface.name) == ["eth0", "eth1", "eth2"])
        #expect(first.exits.map(\.isOnline) == [true, true, false])
        #expect(first.exits.map { $0.ipv4.gateway?.description } == ["10.9.0.2", "10.9.1.2", nil])
        for exit in first.exits where exit.isOnline {
            let source = try Self.source(over: exit.interface.name, in: lab.host)
            #expect(exit.ipv4.source?.description == source)
        }
        // A change that the kernel's preferred route doesn't see.
        try lab.host.ip("route del default via 10.9.1.2")
        let one = try #require(try await updates.next())
        #expect(one.exits.map(\.isOnline) == [true, false, false] && one.ipv4 == first.ipv4)
        #expect(try Self.exitsOfTool(in: lab.host) == ["eth0"])
        try lab.host.ip("link set eth1 down")
        while let host = try await updates.next(), host.exits.count > 2 {}
        try lab.host.ip("link set eth1 up")
        while let host = try await updates.next(), host.exits.count < 3 {}
    }

    /// As on a host with BGP unnumbered.
    @Test("An interface without an own address is an exit while the path to the internet uses it")
    func unnumbered() async throws {
        let lab = try Lab(links: 2, defaultRoute: false)
        try lab.host.ip("link set lo up")
        try lab.host.ip("addr add 10.8.8.8/32 dev lo")
        try lab.host.ip("addr flush dev eth1")
        var updates = NetworkHost.updates(in: .path(lab.host.path)).makeAsyncIterator()
        let first = try #require(try await updates.next())
        #expect(first.exits.map(\.interface.name) == ["eth0"])
        try lab.host.ip("-4 route add default via inet6 fe80::1 dev eth1 src 10.8.8.8")
        let both = try #require(try await updates.next())
        #expect(both.exits.map(\.interface.name) == ["eth0", "eth1"])
        #expect(both.exits.map(\.isOnline) == [false, true] && both.isOnline)
        #expect(try Self.source(over: "eth1", in: lab.host) == "10.8.8.8")
        #expect(try lab.host.run { try NetworkHost.current() } == both)
        #expect(try Self.exitsOfTool(in: lab.host) == ["eth1"])
        try lab.host.ip("route del default")
        #expect(try await updates.next() == first)
    }

    /// With the routes of OpenVPN, then with the rules of wg-quick.
    @Test(
        "A tunnel is carried by the links that lead to the internet without it",
        .needs(Features.tun, "tun"))
    func underlay() async throws {
        let lab = try Lab(links: 2)
        try lab.host.ip("route add default via 10.9.1.2 metric 600")
        let reader = try lab.host.run { unsafe test_tun_open("tun0") }
        try SystemFailure.check("tun0", reader)
        defer { close(reader) }
        var updates = NetworkHost.updates(in: .path(lab.host.path)).makeAsyncIterator()
        func carriers(_ isWanted: ([String]) -> Bool) async throws -> [NetworkHost.Exit] {
            while let host = try await updates.next() {
                let exits = host.underlay(of: host.ipv4)
                if host.ipv4.interface?.name == "tun0", isWanted(exits.map(\.interface.name)) {
                    #expect(host.ipv4.status.isReachable)
                    return exits
                }
            }
            return []
        }
        try lab.host.batch([
            "addr add 10.7.0.1/24 dev tun0", "link set tun0 up", "route add 0.0.0.0/1 dev tun0",
            "route add 128.0.0.0/1 dev tun0",
        ])
        for exit in try await carriers({ $0 == ["eth0", "eth1"] }) {
            let source = try Self.source(over: exit.interface.name, in: lab.host)
            #expect(exit.ipv4.source?.description == source)
        }
        try lab.host.batch([
            "route add default dev tun0 table 77", "rule add not fwmark 77 lookup 77",
            "rule add lookup main suppress_prefixlength 0", "route del 0.0.0.0/1 dev tun0",
            "route del 128.0.0.0/1 dev tun0",
        ])
        try lab.carrier(false, of: 0)
        _ = try await carriers { $0 == ["eth1"] }
        let overview = try lab.host.run([Tool.path, "status", "-4"])
        #expect(overview.contains(" tun0 (vpn), carried by eth1 (virtual), source 10.7.0.1"))
        let explained = try lab.host.run([Tool.path, "explain", "192.0.2.1"])
        #expect(explained.hasSuffix("\n    underlay eth1 virtual\n"))
        try lab.carrier(false, of: 1)
        _ = try await carriers { $0.isEmpty }
        let alone = try lab.host.run([Tool.path, "status", "-4"])
        #expect(alone.contains(" tun0 (vpn), carried by no interface of this host, "))
        // The ways over others aren't asked for.
        let bound = try lab.host.run([Tool.path, "status", "-4", "--interface", "tun0"])
        #expect(bound.contains(" tun0 (vpn), source ") && !bound.contains("carried by"))
        for command in [["status", "-4"], ["explain", "192.0.2.1"]] {
            let json = try lab.host.run([Tool.path] + command + ["--json"])
            #expect(json.contains(#""underlay":[]"#))
        }
    }

    @Test("The simulation needs no netlink", .needs(Features.seccomp, "seccomp filters"))
    func simulation() throws {
        let host = try Namespace()
        let (refused, reasons) = try host.run {
            let sandbox = test_restrict_families(AF_UNIX, AF_INET, AF_INET6)
            try SystemFailure.check("seccomp", sandbox)
            let refused = #expect(throws: ReachabilityError.self) {
                try NetworkReachabilityManager().startMonitoring()
            }
            let network = try SimulatedReachability()
            try network.manager.startMonitoring()
            var reasons: [ReachabilityReason] = []
            for reason in [ReachabilityReason.linkDown, .noRoute, .prohibited] {
                network.setOffline(reason)
                reasons.append(network.manager.snapshot.reason)
            }
            return (refused, reasons)
        }
        #expect(refused?.code == .unsupportedByKernel)
        #expect(reasons == [.linkDown, .noRoute, .prohibited])
    }
}
