// SPDX-License-Identifier: MIT
import Glibc
import Testing

/// Segment routing over IPv6 (SRv6): packets go to a segment, and from there to the destination.
///
/// A socket's `connect()` does not notice a segment without a route, so the oracle is whether a
/// datagram arrives.
@Suite(
    .blocking, .needsNamespaces,
    .needs(Features.segments, "segment routing over IPv6, which lookups name"),
    .timeLimit(.minutes(10)))
struct SegmentTests {
    /// A host with a route over the segment fd99::1, and a peer that unpacks its packets for `far`.
    private static func lab(far: String, route: String, action: String) throws -> Lab {
        let lab = try Lab(defaultRoute: false)
        try lab.peer.set("ipv6/conf/all/seg6_enabled", to: "1")
        try lab.peer.set("ipv6/conf/p0/seg6_enabled", to: "1")
        try lab.peer.ip("addr add \(far) dev lo")
        try lab.peer.ip("-6 route add fd99::1 encap seg6local action \(action) dev p0")
        try lab.host.ip("\(route) encap seg6 mode encap segs fd99::1 dev eth0")
        return lab
    }

    @Test(
        "A target behind a segment is reachable only while the segment has a route",
        arguments: [
            ("2001:db8:5::9", "-6 route add 2001:db8:5::/64", "End.DT6 table 255"),
            ("192.0.2.9", "route add 192.0.2.0/24", "End.DX4 nh4 0.0.0.0"),
        ])
    func route(far: String, route: String, action: String) throws {
        let lab = try Self.lab(far: far, route: route, action: action)
        let mail = try Mail(lab)
        let watcher = try Watcher(lab.host)
        let id = try watcher.add(.address(far), expecting: [], reason: "noRoute")
        #expect(try !mail.arrives(at: far))
        #expect(try check(.address(far), in: lab.host).reason == "noRoute")
        for _ in 0..<3 {
            try lab.host.ip("-6 route add fd99::/64 via 2001:db8:9::2")
            try watcher.expect(id, .reachable, on: "eth0")
            #expect(try watcher.state(id).gateway == "2001:db8:9::2")
            #expect(try check(.address(far), in: lab.host).flags == .reachable)
            #expect(try mail.arrives(at: far))
            try lab.host.ip("-6 route del fd99::/64 via 2001:db8:9::2")
            try watcher.expect(id, [], reason: "noRoute")
        }
        #expect(try !mail.arrives(at: far))
        try lab.host.ip("-6 route add prohibit fd99::/64")
        try watcher.expectSoon(id) { $0.reason == "prohibited" }
        try watcher.expectNoChange()
    }

    @Test(
        "One target or many behind a segment follow the route to the segment", arguments: [1, 100])
    func otherLink(targets: Int) throws {
        let lab = try Lab(links: 2)
        let watcher = try Watcher(lab.host)
        let plain = try watcher.add(.address("2001:db8:6::1"), expecting: .reachable)
        let ids = try (1...targets).map {
            try watcher.add(.address("2001:db8:5::\($0)"), expecting: .reachable)
        }
        // The filter has no segment yet, and drops the events of routes to segments.
        try watcher.awaitFilter(in: lab)
        try lab.host.ip("-6 route add 2001:db8:5::/64 encap seg6 mode inline segs fd99::1 dev eth0")
        try watcher.expectNoChange()
        try lab.host.ip("-6 route add fd99::1 via 2001:db8:9:1::2")
        for id in ids { try watcher.expectSoon(id) { $0.interfaceName == "eth1" } }
        try lab.carrier(false, of: 1)
        for id in ids {
            try watcher.expectSoon(id) { $0.flags == [] && $0.reason == "linkDown" }
        }
        try lab.host.ip("-6 route del fd99::1 via 2001:db8:9:1::2")
        for id in ids {
            try watcher.expectSoon(id) { $0.flags == .reachable && $0.interfaceName == "eth0" }
        }
        // A rule for packets to the segment.
        try lab.host.ip("-6 rule add to fd99::1 prohibit")
        for id in ids { try watcher.expectSoon(id) { $0.reason == "prohibited" } }
        try lab.host.ip("-6 rule del to fd99::1 prohibit")
        for id in ids { try watcher.expectSoon(id) { $0.flags == .reachable } }
        #expect(try watcher.state(plain).flags == .reachable)
        try watcher.expectNoChange()
    }
}

extension SegmentTests {
    @Test(
        "A segment is looked up with the source of the packets to it",
        arguments: [
            // A route with a source prefix, or a rule by source that leads to the only route.
            ["route add fd99::/64 from 2001:db8:9::/64 via 2001:db8:9::2"],
            [
                "route add fd99::/64 via 2001:db8:9::2 table 77",
                "rule add from 2001:db8:9::/64 lookup 77",
            ],
        ])
    func source(changes: [String]) throws {
        let far = "2001:db8:5::9"
        let lab = try Self.lab(
            far: far, route: "-6 route add 2001:db8:5::/64", action: "End.DT6 table 255")
        let mail = try Mail(lab)
        let watcher = try Watcher(lab.host)
        let id = try watcher.add(.address(far), expecting: [], reason: "noRoute")
        for change in changes { try lab.host.ip("-6 \(change)") }
        try watcher.expect(id, .reachable, on: "eth0")
        #expect(try check(.address(far), in: lab.host).flags == .reachable)
        #expect(try mail.arrives(at: far))
        try lab.host.ip("-6 rule add from 2001:db8:9::/64 to fd99::/64 prohibit pref 100")
        try watcher.expectSoon(id) { $0.reason == "prohibited" }
        #expect(try check(.address(far), in: lab.host).reason == "prohibited")
        #expect(try !mail.arrives(at: far))
        try lab.host.ip("-6 rule del pref 100")
        try watcher.expectSoon(id) { $0.flags == .reachable }
        for change in changes.reversed() {
            try lab.host.ip("-6 \(change.replacing(" add ", with: " del "))")
        }
        try watcher.expectSoon(id) { $0.reason == "noRoute" }
        try watcher.expectNoChange()
    }
}

/// Datagrams from the host of a lab to its peer.
private final class Mail {
    private let sender: CInt
    private let receiver: CInt

    init(_ lab: Lab) throws {
        sender = try lab.host.run { try Self.socket() }
        receiver = try lab.peer.run { try Self.socket() }
        var anywhere = Self.name(of: "::")
        let receiver = receiver
        try SystemFailure.check(
            "bind", unsafe Self.with(&anywhere) { unsafe bind(receiver, $0, $1) })
    }

    deinit {
        close(sender)
        close(receiver)
    }

    /// Whether a datagram arrives.
    ///
    /// It is lost if a second one, sent after it without segments, arrives first.
    func arrives(at far: String) throws -> Bool {
        send(1, to: far)
        send(2, to: "2001:db8:9::2")
        guard try receive() == 1 else { return false }
        return try receive() == 2
    }

    private func send(_ number: UInt8, to address: String) {
        var number = number
        var name = Self.name(of: address.contains(":") ? address : "::ffff:\(address)")
        // Sending a datagram that is lost may fail, which does not matter here.
        _ = unsafe Self.with(&name) { unsafe sendto(sender, &number, 1, 0, $0, $1) }
    }

    private func receive() throws -> UInt8 {
        var number: UInt8 = 0
        let size = unsafe recv(receiver, &number, 1, 0)
        try SystemFailure.check("recv", size < 0 ? -errno : 0)
        return number
    }

    private static func socket() throws -> CInt {
        let made = Glibc.socket(AF_INET6, CInt(SOCK_DGRAM.rawValue), 0)
        return try SystemFailure.check("socket", made < 0 ? -errno : made)
    }

    private static func name(of address: String) -> sockaddr_in6 {
        var name = sockaddr_in6()
        name.sin6_family = sa_family_t(AF_INET6)
        name.sin6_port = in_port_t(9999).bigEndian
        unsafe inet_pton(AF_INET6, address, &name.sin6_addr)
        return name
    }

    private static func with<Value>(
        _ name: inout sockaddr_in6, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Value
    ) -> Value {
        unsafe withUnsafePointer(to: &name) {
            unsafe $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe body($0, socklen_t(MemoryLayout<sockaddr_in6>.size))
            }
        }
    }
}
