// SPDX-License-Identifier: MIT
import CReach
import CTestSupport
import Testing

private let far = "192.0.2.1"

@Suite(.blocking, .needsNamespaces, .timeLimit(.minutes(10)))
struct StormTests {
    @Test(
        "After an overrun of the event socket the states are right, and the overrun is counted",
        arguments: Features.users)
    func overrun(uid: uid_t) throws {
        let lab = try Lab()
        let watcher = try Watcher(lab.host, receiveBuffer: 4096, uid: uid)
        let id = try watcher.add(.address(far), expecting: .reachable)
        try watcher.settle()
        // Events of links and addresses pass every filter, and each command causes several.
        let storm = (0..<300).map { "addr add 10.\(100 + $0 / 250).\($0 % 250).1/24 dev lo" }
        try lab.host.batch(storm)
        // An overrun alone publishes nothing.
        try watcher.expectNoChange()
        let before = try watcher.stats()
        #expect(before.overruns > 0 && before.dumps > 1)
        try lab.host.batch(storm.map { $0.replacing(".1/24", with: ".2/24") })
        try lab.host.ip("link add name gone type veth peer name away")
        try lab.host.ip("link set eth0 down")
        try watcher.dispatch()
        #expect(try watcher.state(id).flags == [])
        try watcher.expect(id, [], reason: "noRoute")
        #expect(try watcher.stats().overruns > before.overruns)
        try watcher.expectNoChange()
        try lab.host.ip("link set eth0 up")
        try lab.host.ip("route add default via 10.9.0.2")
        try watcher.expect(id, .reachable)
        // The monitor knows the addresses whose events were lost.
        try watcher.add(.pair("10.101.40.1", far), expecting: .reachable)
    }

    @Test("Changes that the kernel announces before it makes them need no corrections")
    func corrections() throws {
        let lab = try Lab(links: 2)
        let watcher = try Watcher(lab.host)
        let targets = ["192.0.2.1", "11.5.5.1", "10.9.1.7", "2001:db8:ffff::1", "2001:db8:9:1::7"]
        let ids = try targets.map { try watcher.add(.address($0)) }
        try watcher.settle()
        // Many routes, so that the kernel takes its time.
        try lab.host.batch(
            (0..<30_000).map { "route add 11.\($0 / 256).\($0 % 256).1 via 10.9.0.2" })
        for round in 0..<20 {
            // The better default routes disappear with their link or address, for IPv4 without an event.
            try lab.host.ip("route add default via 10.9.1.2 metric 5 onlink dev eth1")
            try lab.host.ip("-6 route add default via 2001:db8:9:1::2 metric 5")
            try watcher.dispatch()
            if round.isMultiple(of: 2) {
                try lab.host.ip("addr del 10.9.1.1/24 dev eth1")
                try lab.host.ip("-6 route del default metric 5")
            } else {
                try lab.host.ip("link set eth1 down")
            }
            try watcher.dispatch()
            try lab.host.ip("link set eth1 up")
            // One of these addresses still exists.
            _ = try? lab.host.ip("addr add 10.9.1.1/24 dev eth1")
            _ = try? lab.host.ip("addr add 2001:db8:9:1::1/64 dev eth1 nodad")
        }
        try lab.host.ip("link set eth0 down")
        // The carrier of eth1 may come last. Then each target is looked up once more, and no timer runs.
        try watcher.expectSoon(ids[2]) { $0.flags.contains(.reachable) }
        try watcher.expectSoon(ids[4]) { $0.flags.contains(.reachable) }
        try watcher.awaitRest()
        #expect(try watcher.stats().corrections == 0)
        try watcher.expectNoChange()
    }
}
