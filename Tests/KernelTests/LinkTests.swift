// SPDX-License-Identifier: MIT
import CReach
import Glibc
import Testing

private let far = "192.0.2.1"
private let far6 = "2001:db8:ffff::1"

@Suite(.blocking, .needsNamespaces, .timeLimit(.minutes(10)))
struct LinkTests {
    @Test(
        "Taking a link down ends all paths over it, and taking it up restores only the kernel's own routes"
    )
    func administrativelyDownAndUp() throws {
        let lab = try Lab()
        let watcher = try Watcher(lab.host)
        let four = try watcher.add(.address(far), expecting: .reachable)
        let six = try watcher.add(.address(far6), expecting: .reachable)
        let neighbor = try watcher.add(.address("10.9.0.2"), expecting: [.reachable, .direct])
        let own = try watcher.add(.address("10.9.0.1"), expecting: .own)
        let own6 = try watcher.add(.address("2001:db8:9::1"), expecting: .own)

        try lab.host.ip("link set eth0 down")
        try watcher.expect(four, [], reason: "noRoute")
        try watcher.expect(six, [], reason: "noRoute")
        try watcher.expect(neighbor, [], reason: "noRoute")
        // The kernel keeps the IPv4 address of a link that is down, and answers for it.
        try watcher.expect(own6, [], reason: "noRoute")
        #expect(try lab.routeGet(far) == nil)
        #expect(try lab.routeGet("10.9.0.1")?.isLocal == true)
        try watcher.expectNoChange()
        #expect(try watcher.state(own).flags == .own)

        try lab.host.ip("link set eth0 up")
        try watcher.expect(neighbor, [.reachable, .direct])
        // Neither the default routes nor the IPv6 address come back by themselves.
        try watcher.expectNoChange()
        try lab.host.ip("addr add 2001:db8:9::1/64 dev eth0 nodad")
        // On its way there, it may be an address of the link.
        try watcher.expectSoon(own6) { $0.flags == .own }
        try lab.defaultRoute()
        try watcher.expect(four, .reachable)
        try watcher.expect(six, .reachable)
        try watcher.expectNoChange()
    }

    @Test(
        "Without carrier a target is unreachable, whether or not the kernel keeps the route",
        arguments: [(far, "0"), (far, "1"), (far6, "0"), (far6, "1")])
    func carrier(target: String, ignoreLinkDown: String) throws {
        let lab = try Lab()
        let version = target.contains(":") ? "ipv6" : "ipv4"
        try lab.host.set("\(version)/conf/eth0/ignore_routes_with_linkdown", to: ignoreLinkDown)
        let watcher = try Watcher(lab.host)
        let id = try watcher.add(.address(target), expecting: .reachable)

        try lab.carrier(false)
        try watcher.expect(id, [], reason: ignoreLinkDown == "1" ? "noRoute" : "linkDown")
        #expect((try lab.routeGet(target) == nil) == (ignoreLinkDown == "1"))
        try watcher.expectNoChange()

        try lab.carrier(true)
        let state = try watcher.expect(id, .reachable, on: "eth0")
        #expect(try lab.routeGet(target)?.source == state.source)
        try watcher.expectNoChange()
    }

    @Test(
        "Setting ignore_routes_with_linkdown, announced only as NETCONF, lets the next route take over",
        arguments: [far, far6])
    func ignoreLinkDown(target: String) throws {
        let lab = try Lab(links: 2)
        try lab.host.ip("route add default via 10.9.1.2 metric 200")
        try lab.host.ip("-6 route add default via 2001:db8:9:1::2 metric 2000")
        // A router doesn't change over to the other route by itself.
        try lab.host.set("ipv6/conf/all/forwarding", to: "1")
        let watcher = try Watcher(lab.host)
        let id = try watcher.add(.address(target), expecting: .reachable)
        try lab.carrier(false)
        try watcher.expect(id, [], reason: "linkDown", on: "eth0")

        let links = target == far || Features.linkdownAnnounced ? "eth0" : "all"
        let version = target == far ? "ipv4" : "ipv6"
        let sysctl = "\(version)/conf/\(links)/ignore_routes_with_linkdown"
        try lab.host.set(sysctl, to: "1")
        try watcher.expect(id, .reachable, on: "eth1")
        #expect(try lab.routeGet(target)?.interface == "eth1")
        try lab.host.set(sysctl, to: "0")
        try watcher.expect(id, [], reason: "linkDown", on: "eth0")
        try lab.host.set(sysctl, to: "1")
        try watcher.expect(id, .reachable, on: "eth1")
        // A route that comes back with its carrier is not announced either.
        try lab.carrier(true)
        try watcher.expect(id, .reachable, on: "eth0")
        try watcher.expectNoChange()
    }

    @Test(
        "Flaps of another link cause no lookup",
        arguments: [(nil, true), (nil, false), (far, true), (far6, true), (far6, false)])
    func anotherLink(address: String?, hasInet: Bool) throws {
        let lab = try Lab()
        if !hasInet { try lab.host.ip("route del default") }
        try lab.cable(1)
        try lab.host.awaitLinkLocal("eth1")
        let watcher = try Watcher(lab.host)
        let target = address.map { Target.address($0) } ?? .internet
        try watcher.add(target, expecting: .reachable)
        // The dumps of an idle monitor.
        try watcher.awaitRest()
        var lookups: [UInt64] = [try watcher.stats().lookups]
        for _ in 0..<5 {
            try lab.host.ip("link set eth1 down")
            try lab.host.ip("link set eth1 up")
            try lab.host.awaitLinkLocal("eth1")
            try watcher.settle()
            try watcher.awaitRest()
            lookups.append(try watcher.stats().lookups)
        }
        #expect(Set(lookups).count == 1, "\(lookups)")
        try watcher.expectNoChange()
    }

    @Test("Events that don't affect reachability, such as a new MTU or alias, cause no change")
    func irrelevantChanges() throws {
        let lab = try Lab()
        let watcher = try Watcher(lab.host)
        try watcher.add(.address(far), expecting: .reachable)
        try watcher.add(.address(far6), expecting: .reachable)
        try watcher.add(.internet, expecting: .reachable)
        for setting in ["mtu 1400", "alias uplink", "txqueuelen 77", "promisc on", "promisc off"] {
            try lab.host.ip("link set eth0 \(setting)")
        }
        try lab.host.set("ipv4/conf/all/rp_filter", to: "2")
        try lab.host.ip("route add 203.0.113.0/24 via 10.9.0.2")
        try lab.host.ip("-6 route add 2001:db8:eeee::/48 via 2001:db8:9::2")
        try watcher.expectNoChange()
    }

    @Test(
        "A rename changes no verdict, and a target bound to a name follows the name",
        .needs(Features.liveRename, "renaming a link that is up"))
    func rename() throws {
        let lab = try Lab()
        let watcher = try Watcher(lab.host)
        let id = try watcher.add(.address(far), expecting: .reachable)
        var target = Target.address(far)
        target.interfaceName = "lan0"
        let named = try watcher.add(target, expecting: [], reason: "noInterface")
        target.interfaceName = "eth0"
        let old = try watcher.add(target, expecting: .reachable)

        try lab.host.ip("link set eth0 name lan0")
        try watcher.expect(named, .reachable, on: "lan0")
        try watcher.expect(old, [], reason: "noInterface")
        try watcher.expectNoChange()
        #expect(try watcher.state(id).interfaceName == "lan0")

        try lab.host.ip("link set lan0 name eth0")
        try watcher.expect(named, [], reason: "noInterface")
        try watcher.expect(old, .reachable, on: "eth0")
        try watcher.expectNoChange()
    }

    @Test("A target bound to an alternative name follows it, as SO_BINDTODEVICE does")
    func alternativeName() throws {
        let lab = try Lab()
        let watcher = try Watcher(lab.host)
        let name = "enp2s1"
        var target = Target.address(far)
        target.interfaceName = name
        let bound = try watcher.add(target, expecting: [], reason: "noInterface")
        // Alone, and the last of several names, one of which is too long for a socket.
        for names in [name, "enx00aabbccddeeff00 altname a altname \(name)"] {
            try lab.host.ip("link property add dev eth0 altname \(names)")
            try watcher.expect(bound, .reachable, on: "eth0")
            #expect(try bindToDevice(name, in: lab.host) == 0)
            let scoped = try lab.host.run([Tool.path, "status", "-v", "-i", name, far])
            #expect(scoped == "Reachable eth0\n")
            let zone = try lab.host.run([Tool.path, "status", "-v", "fe80::1%\(name)"])
            #expect(zone == "Reachable,Directly Reachable Address eth0\n")

            try lab.host.ip("link property del dev eth0 altname \(names)")
            try watcher.expect(bound, [], reason: "noInterface")
            #expect(try bindToDevice(name, in: lab.host) == ENODEV)
        }
        try watcher.expectNoChange()
    }

    private func bindToDevice(_ name: String, in namespace: Namespace) throws -> CInt {
        try namespace.run {
            let descriptor = socket(AF_INET, Int32(SOCK_DGRAM.rawValue), 0)
            defer { close(descriptor) }
            let result = unsafe setsockopt(
                descriptor, SOL_SOCKET, SO_BINDTODEVICE, name, socklen_t(name.utf8.count))
            return result == 0 ? 0 : errno
        }
    }

    @Test("After a link is deleted, its reused index belongs to the new link")
    func indexReuse() throws {
        let lab = try Lab()
        let watcher = try Watcher(lab.host)
        let index = try lab.host.index(of: "eth0")
        let id = try watcher.add(.address(far), expecting: .reachable)
        var target = Target.address("10.9.0.2")
        target.interfaceIndex = index
        let bound = try watcher.add(target, expecting: [.reachable, .direct])

        try lab.host.ip("link del eth0")
        try watcher.expect(id, [], reason: "noRoute")
        try watcher.expect(bound, [], reason: "noInterface")
        // All of the old link's events may come in one batch with the new one's.
        try lab.host.ip(
            "link add wan0 index \(index) type veth peer name p0 netns \(lab.peer.path)")
        try lab.peer.ip("link set p0 up")
        try lab.host.batch([
            "link set wan0 up", "addr add 10.9.0.1/24 dev wan0", "route add default via 10.9.0.2",
        ])
        try watcher.expect(id, .reachable, on: "wan0")
        try watcher.expect(bound, [.reachable, .direct], on: "wan0")
        try watcher.expectNoChange()
    }

    @Test(
        "A link replaced by one with the same index between two dispatches counts as the new link"
    )
    func indexReuseUnseen() throws {
        let lab = try Lab()
        let watcher = try Watcher(lab.host)
        let index = try lab.host.index(of: "eth0")
        let id = try watcher.add(.address(far), expecting: .reachable)
        try lab.host.ip("link del eth0")
        try lab.host.ip("link add wan0 index \(index) type veth peer name away")
        try lab.host.batch([
            "link set wan0 up", "addr add 10.9.0.1/24 dev wan0", "route add default via 10.9.0.2",
        ])
        try watcher.expect(id, [], reason: "linkDown", on: "wan0")
        try watcher.expectNoChange()
    }

    @Test("Moving a link to another namespace ends its paths until it is back and configured again")
    func namespaceMove() throws {
        let lab = try Lab()
        let watcher = try Watcher(lab.host)
        let id = try watcher.add(.address(far), expecting: .reachable)
        let six = try watcher.add(.address(far6), expecting: .reachable)
        let own = try watcher.add(.address("10.9.0.1"), expecting: .own)

        try lab.host.ip("link set eth0 netns \(lab.peer.path)")
        try watcher.expect(id, [], reason: "noRoute")
        try watcher.expect(six, [], reason: "noRoute")
        try watcher.expect(own, [], reason: "noRoute")
        try watcher.expectNoChange()

        try lab.peer.ip("link set eth0 netns \(lab.host.path)")
        try lab.host.ip("link set eth0 up")
        try lab.host.ip("addr add 10.9.0.1/24 dev eth0")
        try watcher.expect(own, .own)
        try lab.host.ip("route add default via 10.9.0.2")
        try watcher.expect(id, .reachable, on: "eth0")
        try watcher.expectNoChange()
    }

    @Test("When the namespace of a link's other end is gone, targets over the link are unreachable")
    func peerNamespaceGone() throws {
        let host = try Namespace()
        var peer: Namespace? = try Namespace()
        if let peer {
            try host.ip("link add eth0 type veth peer name p0 netns \(peer.path)")
            try peer.ip("link set p0 up")
        }
        try host.batch([
            "link set eth0 up", "addr add 10.9.0.1/24 dev eth0", "route add default via 10.9.0.2",
        ])
        try host.awaitLinkLocal("eth0")
        let watcher = try Watcher(host)
        let id = try watcher.add(.address(far), expecting: .reachable)
        peer = nil
        // The kernel takes the namespace apart later: the link is down first, then gone.
        try watcher.expect(id, [], reason: nil)
    }
}
