// SPDX-License-Identifier: MIT
import Foundation
import Glibc
import NetworkReachability
import Testing

/// The kernel routes the packets of a tunnel to its far end.
///
/// The judge counts the packets at the other end of each cable.
@Suite(.blocking, .needsNamespaces, .timeLimit(.minutes(10)))
struct TunnelTests {
    /// A tunnel with the name t0; 192.0.2.9 and 2001:db8:ffff::9 are behind `eth1`, and the rest behind `eth0`.
    struct Row: CustomTestStringConvertible, Sendable {
        /// Arguments of `ip link add`: the kind and its options.
        let tunnel: String
        /// Further commands.
        var commands: [String] = []
        /// The cable that carries the packets; nil for none.
        var carrier: String? = "eth1"

        var testDescription: String { ([tunnel] + commands).joined(separator: "; ") }

        /// Whether the kernel has the kind, and the rules can be set.
        ///
        /// The packets' user is the machine's root, who has no number in a user namespace that doesn't map it.
        fileprivate var isKnown: Bool {
            let users = try? String(contentsOfFile: "/proc/self/uid_map", encoding: .utf8)
            let isRoot = users?.split(separator: " ").prefix(2) == ["0", "0"]
            if commands.contains(where: { $0.contains("uidrange") }) && !isRoot { return false }
            let command = "link add t0 type \(tunnel.replacing("dev eth1", with: "dev lo"))"
            return (try? Namespace().ip(command)) != nil
        }
    }

    private static let vxlan = "vxlan id 7 dstport 4789"

    private static let table = ["route add default via 10.9.1.2 table 77"]

    private static let rows: [Row] =
        [
            "\(vxlan) remote 192.0.2.9", "\(vxlan) remote 2001:db8:ffff::9",
            "\(vxlan) remote 198.51.100.9 dev eth1", "\(vxlan) group 239.1.1.1 dev eth1",
            "geneve id 7 remote 192.0.2.9", "geneve id 7 remote 2001:db8:ffff::9",
            "gre remote 192.0.2.9", "gre remote 198.51.100.9 dev eth1", "gretap remote 192.0.2.9",
            "ipip remote 192.0.2.9", "sit mode ipip remote 192.0.2.9",
            // Those of IPv6 send nothing without a local address.
            "ip6gre remote 2001:db8:ffff::9 local 2001:db8:9:1::1",
            "ip6gretap remote 2001:db8:ffff::9 local 2001:db8:9:1::1",
            "ip6tnl mode ipip6 remote 2001:db8:ffff::9 local 2001:db8:9:1::1",
        ].map { Row(tunnel: $0) }
        + [
            Row(tunnel: "\(vxlan) remote 10.9.0.2", carrier: "eth0"),
            Row(
                tunnel: "\(vxlan) remote 198.51.100.9 local 10.9.1.1",
                commands: table + ["rule add from 10.9.1.1 lookup 77"]),
            Row(
                tunnel: "gre remote 198.51.100.9 fwmark 7",
                commands: table + ["rule add fwmark 7 lookup 77"]),
            Row(
                tunnel: "\(vxlan) remote 198.51.100.9",
                commands: table + ["rule add uidrange 0-0 to 198.51.100.9 lookup 77"]),
            Row(
                tunnel: "\(vxlan) remote 10.8.0.2",
                commands: [
                    "link add t1 type vxlan id 8 dstport 4789 remote 192.0.2.9",
                    "addr add 10.8.0.1/24 dev t1", "link set t1 up",
                    "neigh add 10.8.0.2 lladdr 02:00:00:00:00:02 dev t1",
                ]),
            // Nowhere, and in a circle.
            Row(
                tunnel: "\(vxlan) remote 198.51.100.9",
                commands: ["route add unreachable 198.51.100.9"], carrier: nil),
            Row(tunnel: "\(vxlan) remote 198.51.100.9", carrier: nil),
        ]

    private static let packets = 100

    /// Two cables, both of which lead to the internet, and a tunnel from `origin` that has replaced the default route.
    private static func lab(_ row: Row, from origin: KeyPath<Lab, Namespace> = \.host) throws -> Lab
    {
        let lab = try Lab(links: 2)
        try lab.host.batch([
            "route add default via 10.9.1.2 metric 600", "route add 192.0.2.9 via 10.9.1.2",
            "route add 2001:db8:ffff::9 via 2001:db8:9:1::2",
        ])
        // Made first: its name is the tunnel's in both namespaces.
        try lab[keyPath: origin].ip("link add t0 type \(row.tunnel)")
        if lab[keyPath: origin].path != lab.host.path {
            try lab[keyPath: origin].ip("link set t0 netns \(lab.host.path)")
        }
        try lab.host.batch(row.commands + ["addr add 10.7.0.1/24 dev t0", "link set t0 up"])
        // Without an answer to ARP, nothing would be sent.
        if try lab.host.ip("link show t0").contains("link/ether") {
            try lab.host.ip("neigh add 10.7.0.2 lladdr 02:00:00:00:00:02 dev t0")
        }
        try lab.host.batch([
            "route add 0.0.0.0/1 via 10.7.0.2 dev t0", "route add 128.0.0.0/1 via 10.7.0.2 dev t0",
        ])
        return lab
    }

    /// The packets that have arrived at the other end of each cable.
    private static func arrived(in lab: Lab) throws -> [Int] {
        let text = try lab.peer.run {
            try String(contentsOfFile: "/proc/thread-self/net/dev", encoding: .utf8)
        }
        return ["p0:", "p1:"].map { name in
            let line = text.split(separator: "\n").map { $0.split(separator: " ") }
                .first { $0.first == Substring(name) }
            return line.flatMap { Int($0[2]) } ?? 0
        }
    }

    private static func send(to address: String, in host: Namespace) throws {
        try host.run {
            var remote = sockaddr_in()
            remote.sin_family = sa_family_t(AF_INET)
            remote.sin_port = in_port_t(9).bigEndian
            unsafe inet_pton(AF_INET, address, &remote.sin_addr)
            let size = socklen_t(MemoryLayout<sockaddr_in>.size)
            let descriptor = socket(AF_INET, Int32(SOCK_DGRAM.rawValue), 0)
            try SystemFailure.check("socket", descriptor)
            defer { close(descriptor) }
            for _ in 0..<packets {
                _ = unsafe withUnsafePointer(to: &remote) { remote in
                    unsafe remote.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                        unsafe sendto(descriptor, "", 0, 0, $0, size)
                    }
                }
            }
        }
    }

    /// The cables at whose other end packets arrive that are sent through the tunnel.
    ///
    /// Others are sent over each cable afterwards. Once these have arrived, so have those of the tunnel.
    private static func carriers(in lab: Lab) throws -> [String] {
        let before = try arrived(in: lab)
        try send(to: "203.0.113.1", in: lab.host)
        for number in 0...1 { try send(to: "10.9.\(number).2", in: lab.host) }
        var counts: [Int] = []
        repeat {
            try Task.checkCancellation()
            counts = zip(try arrived(in: lab), before).map { $0 - $1 }
        } while counts.contains { $0 < packets }
        return counts.indices.filter { counts[$0] >= 2 * packets }.map { "eth\($0)" }
    }

    private static func underlay(_ host: NetworkHost) -> [String] {
        host.underlay(of: host.ipv4).map(\.interface.name)
    }

    @Test(
        "A tunnel is carried by the interface that its packets leave by",
        arguments: rows.filter(\.isKnown))
    func carrier(_ row: Row) throws {
        let lab = try Self.lab(row)
        let host = try lab.host.run { try NetworkHost.current() }
        #expect(host.ipv4.interface?.name == "t0" && host.isOnline)
        #expect(host.exits.filter(\.isOnline).map(\.interface.name).prefix(2) == ["eth0", "eth1"])
        let expected = row.carrier.map { [$0] } ?? []
        #expect(try Self.carriers(in: lab) == expected)
        #expect(Self.underlay(host) == expected)
        let own = try lab.host.run { try host.ipv4.underlay() }
        #expect(own.map(\.interface.name) == expected)
    }

    @Test(
        "The kernel sends a tunnel's packets as root, also for the tool of another user",
        .needs(Tool.runsAsNobody, "setpriv"))
    func tool() throws {
        let rule = "rule add uidrange 0-0 to 198.51.100.9 lookup 77"
        for carrier in ["eth1 (virtual)", "no interface of this host"] {
            let commands = Self.table + (carrier.hasPrefix("eth1") ? [rule] : [])
            let lab = try Self.lab(
                Row(tunnel: Self.vxlan + " remote 198.51.100.9", commands: commands))
            let command = ["setpriv"] + Tool.nobody + [Tool.path]
            let overview = try lab.host.run(command + ["status", "-4"])
            #expect(overview.contains(" t0 (virtual), carried by \(carrier), "))
        }
    }

    @Test("A tunnel from another namespace is carried by nothing here")
    func elsewhere() throws {
        let lab = try Self.lab(Row(tunnel: Self.vxlan + " remote 192.0.2.9"), from: \.peer)
        let host = try lab.host.run { try NetworkHost.current() }
        #expect(host.ipv4.interface?.name == "t0" && host.isOnline)
        #expect(try Self.carriers(in: lab).isEmpty && Self.underlay(host).isEmpty)
    }

    /// As on a host with BGP unnumbered.
    @Test("An interface without an own address is an exit while it carries a tunnel")
    func unnumbered() throws {
        let lab = try Self.lab(
            Row(
                tunnel: Self.vxlan + " remote 192.0.2.9",
                commands: ["link set lo up", "addr add 10.8.8.8/32 dev lo", "addr flush dev eth1"]))
        try lab.host.ip("-4 route add 192.0.2.9 via inet6 fe80::1 dev eth1 src 10.8.8.8")
        let host = try lab.host.run { try NetworkHost.current() }
        #expect(host.ipv4.interface?.name == "t0" && Self.underlay(host) == ["eth1"])
    }

    @Test("A route to the far end that moves, and another far end, change the host")
    func moves() async throws {
        let lab = try Self.lab(Row(tunnel: Self.vxlan + " remote 192.0.2.9"))
        var updates = NetworkHost.updates(in: .path(lab.host.path)).makeAsyncIterator()
        func expect(_ carrier: String) async throws {
            while let host = try await updates.next(), Self.underlay(host) != [carrier] {}
            #expect(try Self.carriers(in: lab) == [carrier])
        }
        try await expect("eth1")
        try lab.host.ip("route replace 192.0.2.9 via 10.9.0.2")
        try await expect("eth0")
        try lab.host.ip("link set t0 type vxlan id 7 remote 10.9.1.2")
        try await expect("eth1")
    }
}
