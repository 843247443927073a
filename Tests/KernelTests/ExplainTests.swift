// SPDX-License-Identifier: MIT
import Foundation
import NetworkReachability
import Testing

private let far = "192.0.2.1"
private let far6 = "2001:db8:ffff::1"

/// The members of a line of `reachctl explain --json` that these tests read.
private struct Explanation: Decodable {
    struct PolicyRule: Decodable {
        let priority: UInt32
        let action: String
    }

    struct Route: Decodable {
        let error: Int32?
        let type: String?
        let table: UInt32?
        let prefix: String?
        let gateway: String?
    }

    struct Source: Decodable {
        let address: String?
        let state: String
    }

    struct FirstLookup: Decodable {
        let error: Int32?
        let source: String?
        let interface: UInt32?
    }

    struct Socket: Decodable {
        let error: Int32?
        let source: String?
    }

    struct Link: Decodable {
        let name: String
        let basis: String
        let usable: Bool
    }

    let reason: String?
    let addresses: [String]
    let rule: String
    let address: String?
    let addressCount: Int
    let lookupCount: Int
    let reachableCount: Int
    let policyRule: PolicyRule?
    let otherPolicyRules: Int
    let unevaluatedPolicyRules: Int
    let route: Route?
    let source: Source?
    let links: [Link]
    let lookups: Int
    let firstLookup: FirstLookup?
    let socket: Socket?

    init(_ arguments: String, in namespace: Namespace) throws {
        // The exit status tells whether the target is reachable.
        let line = try namespace.run([
            "sh", "-c", "\(Tool.path) explain --json \(arguments) || test $? = 1",
        ])
        #expect(try schemaProblems(in: line, as: "explanation") == [])
        self = try JSONDecoder().decode(Explanation.self, from: Data(line.utf8))
    }
}

/// The answer of `ip -j route get fibmatch`.
private struct Oracle: Decodable {
    let dst: String
    let gateway: String?
    let dev: String
    let table: String?

    init(_ arguments: String, in namespace: Namespace) throws {
        let text = try namespace.ip("-j route get fibmatch \(arguments)")
        let all = try JSONDecoder().decode([Oracle].self, from: Data(text.utf8))
        self = try #require(all.first)
    }
}

private func compare(
    _ explanation: Explanation, _ oracle: Oracle, any: String = "0.0.0.0/0",
    sourceLocation: SourceLocation = #_sourceLocation
) {
    let prefix = oracle.dst == "default" ? any : oracle.dst
    #expect(explanation.route?.prefix == prefix, sourceLocation: sourceLocation)
    #expect(explanation.route?.gateway == oracle.gateway, sourceLocation: sourceLocation)
    #expect(explanation.links.first?.name == oracle.dev, sourceLocation: sourceLocation)
    let table = oracle.table.flatMap { UInt32($0) } ?? 254
    #expect(explanation.route?.table == table, sourceLocation: sourceLocation)
}

@Suite(.blocking, .needsNamespaces, .timeLimit(.minutes(10)))
struct ExplainTests {
    @Test("`explain` gives the prefix, table, gateway, and interface of `ip route get`")
    func route() throws {
        let lab = try Lab()
        try lab.host.ip("route add 192.0.2.0/25 via 10.9.0.2")
        let specific = try Explanation(far, in: lab.host)
        compare(specific, try Oracle(far, in: lab.host))
        #expect(specific.rule == "unicast" && specific.route?.type == "unicast")
        #expect(specific.source?.address == "10.9.0.1" && specific.source?.state == "usable")
        #expect(specific.policyRule?.priority == 32766 && specific.otherPolicyRules == 0)
        #expect(specific.links.count == 1 && specific.links.first?.basis == "peer")
        let general = try Explanation("198.51.100.1", in: lab.host)
        compare(general, try Oracle("198.51.100.1", in: lab.host))
        let six = try Explanation(far6, in: lab.host)
        compare(six, try Oracle(far6, in: lab.host), any: "::/0")
        #expect(six.policyRule?.priority == 32766)
        // The plain answer names lo. The matching route names the interface that has the address.
        let own = try Explanation("10.9.0.1", in: lab.host)
        #expect(own.rule == "local" && own.route?.prefix == "10.9.0.1/32")
        #expect(own.policyRule != nil)
        let internet = try Explanation("internet", in: lab.host)
        #expect(
            internet.addressCount == 8 && internet.lookupCount == 3
                && internet.reachableCount == 3)
    }

    @Test("`explain` and `status` count the next hops of a multipath route")
    func nextHops() throws {
        let lab = try Lab(links: 2, defaultRoute: false)
        try lab.host.ip("route add default nexthop via 10.9.0.2 nexthop via 10.9.1.2")
        let text = try lab.host.run([Tool.path, "explain", far])
        #expect(text.contains(", 2 of 2 next hops usable\n"), "\(text)")
        let line = try lab.host.run([Tool.path, "status", "--json", far])
        #expect(line.contains(#""nextHops":2,"usableNextHops":2,"#), "\(line)")
    }

    @Test("`explain` gives the rule and table of a socket's second lookup, made with its source")
    func source() throws {
        let lab = try Lab(links: 2)
        try lab.host.batch([
            "route add default via 10.9.1.2 table 77", "rule add from 10.9.0.1 lookup 77 pref 500",
        ])
        try lab.host.ip("-6 route replace unreachable default")
        try lab.host.ip("-6 rule add from 2001:db8:9::/64 lookup 77 pref 600")
        try lab.host.ip("-6 route add default via 2001:db8:9::2 table 77")
        let explanation = try Explanation(far, in: lab.host)
        #expect(explanation.policyRule?.priority == 500 && explanation.route?.table == 77)
        #expect(explanation.source?.address == "10.9.0.1")
        #expect(explanation.links.first?.name == "eth1")
        #expect(try explanation.firstLookup?.interface == lab.host.index(of: "eth0"))
        #expect(explanation.firstLookup?.source == "10.9.0.1")
        #expect(explanation.lookups == 2 && explanation.socket?.source == "10.9.0.1")
        let six = try Explanation(far6, in: lab.host)
        #expect(six.policyRule?.priority == 600 && six.route?.table == 77)
        #expect(six.route?.prefix == "::/0" && six.links.first?.name == "eth0")
        #expect(six.firstLookup?.error == EHOSTUNREACH)
        #expect(six.lookups == 2 && six.socket?.source == "2001:db8:9::1")
        try lab.host.ip("rule add from 10.9.0.1 prohibit pref 400")
        let refused = try Explanation(far, in: lab.host)
        #expect(refused.reason == "prohibited" && refused.socket?.error == EACCES)
        #expect(refused.policyRule?.action == "prohibit" && refused.lookups == 2)
        let output = try lab.host.run(["sh", "-c", "\(Tool.path) explain \(far) || test $? = 1"])
        #expect(output.contains("first    by interface "))
        #expect(output.contains(" from 10.9.0.1; looked up again as a socket does\n"))
        #expect(output.contains("socket   'Permission denied'\n"))
    }

    @Test(
        "`explain` gives the rule and table that a mark selects, and counts rules it can't evaluate"
    )
    func mark() throws {
        let lab = try Lab(links: 2)
        try lab.host.batch([
            "route add default via 10.9.1.2 table 100", "rule add fwmark 9 lookup 100 pref 500",
            "rule add fwmark 9/0xf lookup 100 pref 600",
            "rule add ipproto 6 dport 80 lookup 100 pref 700",
            "rule add from 10.9.1.1 lookup 100 pref 800",
        ])
        let marked = try Explanation("--mark 9 \(far)", in: lab.host)
        compare(marked, try Oracle("\(far) mark 9", in: lab.host))
        #expect(marked.policyRule?.priority == 500 && marked.policyRule?.action == "lookup")
        #expect(marked.route?.table == 100 && marked.otherPolicyRules == 4)
        #expect(marked.unevaluatedPolicyRules == 1)
        #expect(try lab.host.ip("rule show pref 500").contains("lookup 100"))
        let masked = try Explanation("--mark 25 \(far)", in: lab.host)
        compare(masked, try Oracle("\(far) mark 25", in: lab.host))
        #expect(masked.policyRule?.priority == 600)
        let plain = try Explanation(far, in: lab.host)
        compare(plain, try Oracle(far, in: lab.host))
        #expect(plain.policyRule?.priority == 32766)
        let bound = try Explanation("10.9.1.1,\(far)", in: lab.host)
        compare(bound, try Oracle("\(far) from 10.9.1.1", in: lab.host))
        #expect(bound.policyRule?.priority == 800)
    }

    @Test("`explain` gives the kernel's error, and the policy rule that may be the cause")
    func errors() throws {
        let lab = try Lab()
        try lab.host.ip("route add blackhole 192.0.2.0/24")
        let blackhole = try Explanation(far, in: lab.host)
        #expect(blackhole.rule == "error" && blackhole.reason == "blackhole")
        #expect(blackhole.route?.error == EINVAL && blackhole.route?.type == nil)
        #expect(blackhole.policyRule == nil && blackhole.links.isEmpty)
        // A rule for an interface that does not exist matches nothing, and its inversion everything.
        try lab.host.ip("rule add not iif none0 prohibit pref 60")
        let inverted = try Explanation("203.0.113.1", in: lab.host)
        #expect(inverted.reason == "prohibited" && inverted.policyRule?.priority == 60)
        try lab.host.ip("rule del pref 60")
        try lab.host.ip("rule add to 198.51.100.0/24 prohibit pref 70")
        let prohibit = try Explanation("198.51.100.1", in: lab.host)
        #expect(prohibit.route?.error == EACCES)
        #expect(prohibit.policyRule?.priority == 70 && prohibit.policyRule?.action == "prohibit")
        #expect(try lab.routeGet("198.51.100.1") == nil)
    }

    @Test("`explain` gives the link without carrier as the cause")
    func linkDown() async throws {
        let lab = try Lab()
        let watch = try await Watch(.address(far), in: lab.host, expecting: .reachable)
        try lab.carrier(false)
        try await watch.expect([], .linkDown)
        let explanation = try Explanation(far, in: lab.host)
        #expect(explanation.rule == "linkDown" && explanation.links.first?.usable == false)
        #expect(explanation.route?.gateway == "10.9.0.2")
        let script = "\(Tool.path) explain \(far) || test $? = 1"
        let output = try lab.host.run(["sh", "-c", script])
        #expect(
            output == """
                192.0.2.1
                    verdict  Not Reachable (linkDown)
                    because  linkDown: eth0 has no carrier: the cable is unplugged, or the other end is down
                    address  192.0.2.1
                    policy   rule 32766 lookup
                    route    unicast 0.0.0.0/0 via 10.9.0.2 table main
                    link     eth0 virtual (by peer) up - no carrier
                    source   10.9.0.1 usable
                    socket   connects from 10.9.0.1

                """)
    }
}
