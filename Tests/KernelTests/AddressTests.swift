// SPDX-License-Identifier: MIT
import Glibc
import Testing

private let far6 = "2001:db8:ffff::1"

@Suite(.blocking, .needsNamespaces, .timeLimit(.minutes(10)))
struct AddressTests {
    @Test("An address that fails duplicate address detection does not count")
    func duplicate() throws {
        let lab = try Lab()
        try lab.host.ip("-6 addr del 2001:db8:9::1/64 dev eth0")
        try lab.host.set("ipv6/conf/eth0/accept_dad", to: "1")
        let watcher = try Watcher(lab.host)
        let id = try watcher.add(.address(far6), expecting: [], reason: "noSource")
        let own = try watcher.add(.address("2001:db8:9::2"), expecting: [], reason: nil)
        // This is the peer's own address. The kernel reports dadfailed when the peer answers.
        let watchers = lab.host.watchers
        var events = try Child(["ip", "-6", "monitor", "address"], in: lab.host.descriptor)
        while lab.host.watchers == watchers { sched_yield() }
        try lab.host.ip("addr add 2001:db8:9::2/64 dev eth0")
        var failed = false
        while !failed, let line = events.line() { failed = line.contains("dadfailed") }
        try #require(failed)
        // Its network's route stays, and with a link-local source the host reaches the peer.
        try watcher.expect(own, [.reachable, .direct], on: "eth0")
        try watcher.expectNoChange()
        #expect(try watcher.state(id).flags == [])
    }
}
