// SPDX-License-Identifier: MIT
import CReach
import CTestSupport
import Glibc
import Synchronization
import Testing

private let far = "192.0.2.1"
private let far6 = "2001:db8:ffff::1"

/// The socket filter that drops events of routes that affect no target.
@Suite(.blocking, .needsNamespaces, .timeLimit(.minutes(10)))
struct FilterTests {
    private static let storms = [
        (0..<30_000).map { "route replace 11.\($0 / 256).\($0 % 256).1 via 10.9.0.2" },
        (0..<30_000).map {
            "route replace 2001:db8:a:\(String($0, radix: 16))::/64 via 2001:db8:9::2"
        },
        (0..<30_000).map { "route replace blackhole 11.\($0 / 256).\($0 % 256).1" },
        (0..<30_000).map { "route replace 192.0.2.1 via 10.9.0.2 mtu \(1000 + $0 % 400) table 77" },
    ]

    @Test(
        "30,000 routes that affect no target cause no event and no wake-up",
        arguments: storms.indices)
    func stormElsewhere(number: Int) throws {
        let lab = try Lab()
        let watcher = try Watcher(lab.host, receiveBuffer: 106_496)
        let id = try watcher.add(.address(far), expecting: .reachable)
        let id6 = try watcher.add(.address(far6), expecting: .reachable)
        // With so many targets, the monitor asks the kernel for the rules.
        for number in 0..<100 { try watcher.add(.address("198.51.100.\(number)")) }
        try watcher.awaitFilter(in: lab)

        let before = try machineClock.withLock { _ in
            try watcher.awaitRest()
            let before = try watcher.stats()
            try lab.host.batch(Self.storms[number])
            #expect(!waitReadable(watcher.descriptor, until: 0))
            try watcher.settle()
            #expect(try watcher.stats().events == before.events)
            #expect(try watcher.stats().wakeups == before.wakeups)
            return before
        }

        try lab.host.ip("route add unreachable \(far)")
        try watcher.expect(id, [], reason: "unreachable")
        try lab.host.ip("-6 route add unreachable \(far6)")
        try watcher.expect(id6, [], reason: "unreachable")
        #expect(try watcher.stats().events == before.events + 2)
        #expect(try watcher.stats().overruns == 0)
    }

    @Test("Targets added during a storm of routes get every later change")
    func addedInStorm() throws {
        let lab = try Lab()
        let watcher = try Watcher(lab.host)
        let first = try watcher.add(.address(far), expecting: .reachable)
        try watcher.awaitFilter(in: lab)
        var storm = try Storm(Self.storms[0], in: lab.host)
        while try lab.host.ip("route show 11.0.0.1").isEmpty {}
        for number in 2...30 {
            // The addresses are next to those of the storm.
            let address = number % 2 == 0 ? "11.0.\(number).2" : "2001:db8:1::\(number)"
            let id = try watcher.add(.address(address), expecting: .reachable)
            try lab.change(address, watcher, id)
            try watcher.remove(id)
            let version = number % 2 == 0 ? "" : "-6 "
            try lab.host.ip("\(version)route add unreachable \(address)")
            let again = try watcher.add(.address(address), expecting: [], reason: "unreachable")
            try lab.host.ip("\(version)route del unreachable \(address)")
            try watcher.expect(again, .reachable)
        }
        try lab.change(far, watcher, first)
        storm.finish()
        try watcher.expectNoChange()
    }
}

/// A process that changes routes repeatedly while a test runs.
private struct Storm: ~Copyable {
    private var child: Child

    init(_ lines: [String], in namespace: Namespace) throws {
        let script = """
            file=$(mktemp) && cat >$file && exec 3<$file && rm $file && trap 'exit 0' TERM
            while ip -batch /proc/self/fd/3; do :; done
            exit 1
            """
        child = try Child(["sh", "-c", script], in: namespace.descriptor)
        child.finishInput(lines.joined(separator: "\n") + "\n")
    }

    /// Ends the process after its current round of changes.
    mutating func finish() {
        kill(child.pid, SIGTERM)
        let (output, status) = child.finish()
        #expect(status == 0, "a line was refused: \(output)")
    }
}

extension Lab {
    /// Makes a target unreachable and reachable again.
    fileprivate func change(_ address: String, _ watcher: Watcher, _ id: UInt64) throws {
        let version = address.contains(":") ? "-6" : "-4"
        try host.ip("\(version) route add unreachable \(address)")
        try watcher.expect(id, [], reason: "unreachable")
        try host.ip("\(version) route del unreachable \(address)")
        try watcher.expect(id, .reachable)
    }
}

extension Watcher {
    /// Dispatches until the filter, which is attached a little after the first answers, drops
    /// routes that affect no target.
    func awaitFilter(in lab: Lab) throws {
        let deadline = monotonicSeconds() + Watcher.patience
        while monotonicSeconds() < deadline {
            try settle()
            let before = try stats().events
            try lab.host.ip("route add blackhole 203.0.113.77 table 77")
            try lab.host.ip("route del blackhole 203.0.113.77 table 77")
            try lab.host.ip("route add blackhole 203.0.113.77")
            try lab.host.ip("route del blackhole 203.0.113.77")
            try settle()
            if try stats().events == before { return }
        }
        throw Silence(description: "routes to elsewhere still come")
    }
}
