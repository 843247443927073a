// SPDX-License-Identifier: MIT
import Glibc
import Testing

private let far = "192.0.2.1"
private let far6 = "2001:db8:ffff::1"

@Suite(.blocking, .needsNamespaces, .timeLimit(.minutes(10)))
struct LinkTests {
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
