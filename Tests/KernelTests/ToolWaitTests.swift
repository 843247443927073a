// SPDX-License-Identifier: MIT
import Foundation
import Testing

private let far = "192.0.2.1"
private let farSix = "2001:db8:ffff::1"

/// `reachctl wait` and the overview of `reachctl status`, with `ip` as the oracle.
@Suite(.blocking, .needsNamespaces, .timeLimit(.minutes(10)))
struct ToolWaitTests {
    /// Starts a wait that does not end at once, and reads its first line, which says so.
    private func start(_ arguments: [String], in namespace: Namespace) throws -> Child {
        var child = try Child([Tool.path, "wait"] + arguments, in: namespace.descriptor)
        let first = child.line()
        try #require(first?.hasPrefix("reachctl: waiting for ") == true, "\(first ?? "nothing")")
        return child
    }

    /// The rest of the output without the lines from standard error, and the exit status.
    private func finish(_ child: inout Child) -> (output: String, status: CInt) {
        let (output, status) = child.finish()
        let lines = output.split(separator: "\n").filter { !$0.hasPrefix("reachctl: ") }
        return (lines.map { "\($0)\n" }.joined(), status)
    }

    private func run(
        _ arguments: [String], in namespace: Namespace
    ) throws -> (output: String, status: CInt) {
        return try Child.run([Tool.path] + arguments, in: namespace.descriptor)
    }

    @Test("A new route ends a wait for one target or with --any, and two targets need a route each")
    func route() throws {
        let lab = try Lab(defaultRoute: false)
        var one = try start([far], in: lab.host)
        var both = try start([far, farSix], in: lab.host)
        var any = try start(["--any", farSix, far], in: lab.host)
        try lab.host.ip("route add default via 10.9.0.2")
        #expect(finish(&one) == ("Reachable\n", 0))
        let first = finish(&any)
        #expect(first.status == 0)
        #expect(first.output == "\(farSix)\tNot Reachable\n\(far)\tReachable\n")
        #expect(try run(["wait", "-t", "0", "-q", far, farSix], in: lab.host).status == 1)
        try lab.host.ip("-6 route add default via 2001:db8:9::2")
        #expect(finish(&both).status == 0)
    }

    @Test("While no name server answers, `status` of a name says so")
    func deadServer() throws {
        let lab = try Lab()
        let folder = try Folder("resolver")
        let file = folder.file("resolv.conf").path
        try folder.write("nameserver 192.0.2.53\noptions timeout:5 attempts:1\n", to: "resolv.conf")
        let script = "mount --bind \(file) /etc/resolv.conf && exec \"$0\" status www.example.com"
        var child = try Child(
            ["unshare", "-m", "sh", "-c", script, Tool.path], in: lab.host.descriptor)
        let first = child.line()
        #expect(
            first?.hasPrefix("reachctl: no name server has answered yet; waiting up to ") == true,
            "\(first ?? "nothing")")
        let (output, status) = child.finish()
        #expect(output.hasPrefix("Not Reachable") && status == 1, "\(output)")
    }

    @Test("A timeout exits with status 1 and prints the states")
    func timeout() throws {
        let host = try Namespace()
        let result = try run(["wait", "--timeout", "0.01", far], in: host)
        #expect(result.status == 1)
        let end = "timed out waiting for \(far) to be reachable: Not Reachable (noRoute)"
        #expect(result.output.hasSuffix("Not Reachable\nreachctl: \(end)\n"), "\(result.output)")
        #expect(try run(["wait", "-q", "-t", "0", far], in: host) == ("", 1))
        // A timeout of zero leaves no time for an hour of stability.
        let stable = ["wait", "-q", "-t", "0", "--stable", "3600", "127.0.0.1"]
        #expect(try run(stable, in: host) == ("", 1))
    }

    @Test("A wait reports each new reason why its target is unreachable")
    func reasons() throws {
        let lab = try Lab(links: 2)
        let target = "waiting for \(far) to be reachable: Not Reachable"
        try lab.carrier(false)
        var child = try Child([Tool.path, "wait", far], in: lab.host.descriptor)
        #expect(child.line() == "reachctl: \(target) (linkDown) eth0")
        try lab.host.ip("route del default")
        #expect(child.line() == "reachctl: \(target) (noRoute)")
        try lab.host.ip("route add default via 10.9.1.2")
        #expect(child.finish() == ("Reachable\n", 0))
    }

    @Test("A wait names the first three missing targets, or says that a target must stay reachable")
    func many() throws {
        let host = try Namespace()
        let targets = (1...5).map { "192.0.2.\($0)" }
        func waiting(_ arguments: [String]) throws -> String? {
            var child = try Child([Tool.path, "wait"] + arguments, in: host.descriptor)
            return child.line()
        }
        let reason = "Not Reachable (noRoute)"
        let named = targets.prefix(3).map { "\($0) \(reason)" }.joined(separator: "; ")
        let all = try waiting(targets + ["127.0.0.1"])
        #expect(all == "reachctl: waiting for all 6 targets to be reachable: \(named); 2 more")
        let one = try waiting(["--any"] + targets)
        #expect(one == "reachctl: waiting for one of 5 targets to be reachable: \(named); 2 more")
        let away = try waiting(["--unreachable", "127.0.0.1"])
        #expect(
            away
                == "reachctl: waiting for 127.0.0.1 to be unreachable: Reachable,Local Address lo")
        let stable = try waiting(["--stable", "3600", "127.0.0.1"])
        #expect(stable == "reachctl: waiting for 127.0.0.1 to stay reachable")
    }

    @Test(
        "A signal ends the wait with status 128 plus the number of the signal",
        arguments: [SIGINT, SIGTERM])
    func signals(number: CInt) throws {
        let host = try Namespace()
        var child = try start([far], in: host)
        kill(child.pid, number)
        let end = "interrupted waiting for \(far) to be reachable: Not Reachable (noRoute)"
        #expect(child.finish() == ("reachctl: \(end)\n", 128 + number))
    }

    @Test("With -4 or -6, `wait` and `status` use that family of the internet alone")
    func families() throws {
        let lab = try Lab(defaultRoute: false)
        var four = try start(["-4"], in: lab.host)
        let six = try run(["wait", "-6", "--unreachable", "--stable", "0"], in: lab.host)
        #expect(six == ("Not Reachable\n", 0))
        try lab.host.ip("-6 route add default via 2001:db8:9::2")
        #expect(try run(["wait", "-6"], in: lab.host) == ("Reachable\n", 0))
        #expect(try run(["status", "-4", "internet"], in: lab.host).status == 1)
        try lab.host.ip("route add default via 10.9.0.2")
        #expect(finish(&four) == ("Reachable\n", 0))
    }

    private struct Overview: Decodable {
        struct Path: Decodable {
            struct Interface: Decodable {
                let name: String
            }
            let status: String
            let interface: Interface?
            let source: String?
            let gateway: String?
            let reason: String?
        }
        struct Interface: Decodable {
            let name: String
            let addresses: [String]
            let internet: Bool?
        }
        let internet: [String: Path]
        let interfaces: [Interface]
    }

    @Test(
        "The overview shows the namespace's routes and addresses as `ip` does",
        arguments: [true, false])
    func overview(inside: Bool) throws {
        let lab = try Lab(links: 3, defaultRoute: false)
        try lab.host.ip("route add default via 10.9.0.2")
        try lab.host.ip("route add default via 10.9.1.2 metric 600")
        let arguments = inside ? [] : ["-n", lab.host.path]
        let (output, status) = try run(
            ["status", "-j"] + arguments, in: inside ? lab.host : Namespace())
        #expect(status == 0)
        let overview = try JSONDecoder().decode(Overview.self, from: Data(output.utf8))
        let route = try #require(try lab.routeGet(far))
        let four = try #require(overview.internet["ipv4"])
        #expect(four.gateway == route.gateway && four.interface?.name == route.interface)
        #expect(four.source == route.source)
        #expect(overview.internet["ipv6"]?.reason == "noRoute")
        let addresses = try lab.host.ip("-o addr show").split(separator: "\n").map { line in
            let words = line.split(separator: " ")
            return "\(words[1]) \(words[3])"
        }
        let found = overview.interfaces.flatMap { interface in
            interface.addresses.map { "\(interface.name) \($0)" }
        }
        #expect(Set(found) == Set(addresses))
        #expect(overview.interfaces.map(\.internet) == [nil, true, true, false])
        let text = try run(["status"] + arguments, in: inside ? lab.host : Namespace())
        let lines = text.output.split(separator: "\n").map { $0.drop { $0 == " " } }
        #expect(
            lines.prefix(2) == [
                "IPv4: Reachable, eth0 (virtual), gateway 10.9.0.2, source 10.9.0.1",
                "IPv6: Not Reachable (noRoute)",
            ])
        #expect(lines.contains { $0.hasPrefix("eth1 ") && $0.contains("internet  10.9.1.1/24") })
        #expect(lines.contains { $0.hasPrefix("eth2 ") && $0.contains("          10.9.2.1/24") })
        for _ in 0..<2 { try lab.host.ip("route del default") }
        #expect(try run(["status", "-q"] + arguments, in: lab.host) == ("", 1))
    }
}
