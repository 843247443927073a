// SPDX-License-Identifier: MIT
import Foundation
import NetworkReachability
import Testing

private let far = "192.0.2.1"
private let far6 = "2001:db8:ffff::1"

/// A line of `reachctl explain --json`.
private struct Explanation {
    private let line: [String: Any]

    init(_ arguments: String, in namespace: Namespace) throws {
        // The exit status tells whether the target is reachable.
        let text = try namespace.run([
            "sh", "-c", "\(Tool.path) explain --json \(arguments) || test $? = 1",
        ])
        #expect(try schemaProblems(in: text, as: "explanation") == [])
        let object = try JSONSerialization.jsonObject(with: Data(text.utf8))
        line = try #require(object as? [String: Any])
    }

    /// The value at a path of members, such as `route.table`; a list stands for its first element.
    private func value(_ path: String) -> Any? {
        path.split(separator: ".").reduce(line as Any?) { value, member in
            let object = value as? [String: Any] ?? (value as? [[String: Any]])?.first
            #expect(object?.keys.contains(String(member)) != false, "no member '\(path)'")
            return object?[String(member)]
        }
    }

    func text(_ path: String) -> String? { value(path) as? String }

    func number(_ path: String) -> Int? { value(path) as? Int }

    func bool(_ path: String) -> Bool? { value(path) as? Bool }

    var links: [Any] { line["links"] as? [Any] ?? [] }

    /// Whether the value is not null.
    func has(_ path: String) -> Bool { value(path).map { !($0 is NSNull) } ?? false }
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
    #expect(explanation.text("route.prefix") == prefix, sourceLocation: sourceLocation)
    #expect(explanation.text("route.gateway") == oracle.gateway, sourceLocation: sourceLocation)
    #expect(explanation.text("links.name") == oracle.dev, sourceLocation: sourceLocation)
    let table = oracle.table.flatMap { Int($0) } ?? 254
    #expect(explanation.number("route.table") == table, sourceLocation: sourceLocation)
}

@Suite(.blocking, .needsNamespaces, .timeLimit(.minutes(10)))
struct ExplainTests {
    @Test("`explain` gives the prefix, table, gateway, and interface of `ip route get`")
    func route() throws {
        let lab = try Lab()
        try lab.host.ip("route add 192.0.2.0/25 via 10.9.0.2")
        let specific = try Explanation(far, in: lab.host)
        compare(specific, try Oracle(far, in: lab.host))
        #expect(specific.text("rule") == "unicast" && specific.text("route.type") == "unicast")
        #expect(
            specific.text("source.address") == "10.9.0.1"
                && specific.text("source.state") == "usable")
        #expect(
            specific.number("policyRule.priority") == 32766
                && specific.number("otherPolicyRules") == 0)
        #expect(specific.links.count == 1 && specific.text("links.basis") == "peer")
        let general = try Explanation("198.51.100.1", in: lab.host)
        compare(general, try Oracle("198.51.100.1", in: lab.host))
        let six = try Explanation(far6, in: lab.host)
        compare(six, try Oracle(far6, in: lab.host), any: "::/0")
        #expect(six.number("policyRule.priority") == 32766)
        // The plain answer names lo. The matching route names the interface that has the address.
        let own = try Explanation("10.9.0.1", in: lab.host)
        #expect(own.text("rule") == "local" && own.text("route.prefix") == "10.9.0.1/32")
        #expect(own.has("policyRule"))
        let internet = try Explanation("internet", in: lab.host)
        #expect(
            internet.number("addressCount") == 8 && internet.number("lookupCount") == 3
                && internet.number("reachableCount") == 3)
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
        #expect(
            explanation.number("policyRule.priority") == 500
                && explanation.number("route.table") == 77)
        #expect(explanation.text("source.address") == "10.9.0.1")
        #expect(explanation.text("links.name") == "eth1")
        #expect(try explanation.number("firstLookup.interface") == Int(lab.host.index(of: "eth0")))
        #expect(explanation.text("firstLookup.source") == "10.9.0.1")
        #expect(
            explanation.number("lookups") == 2 && explanation.text("socket.source") == "10.9.0.1")
        let six = try Explanation(far6, in: lab.host)
        #expect(six.number("policyRule.priority") == 600 && six.number("route.table") == 77)
        #expect(six.text("route.prefix") == "::/0" && six.text("links.name") == "eth0")
        #expect(six.number("firstLookup.error") == Int(EHOSTUNREACH))
        #expect(six.number("lookups") == 2 && six.text("socket.source") == "2001:db8:9::1")
        try lab.host.ip("rule add from 10.9.0.1 prohibit pref 400")
        let refused = try Explanation(far, in: lab.host)
        #expect(
            refused.text("reason") == "prohibited" && refused.number("socket.error") == Int(EACCES))
        #expect(refused.text("policyRule.action") == "prohibit" && refused.number("lookups") == 2)
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
        #expect(
            marked.number("policyRule.priority") == 500
                && marked.text("policyRule.action") == "lookup")
        #expect(marked.number("route.table") == 100 && marked.number("otherPolicyRules") == 4)
        #expect(marked.number("unevaluatedPolicyRules") == 1)
        #expect(try lab.host.ip("rule show pref 500").contains("lookup 100"))
        let masked = try Explanation("--mark 25 \(far)", in: lab.host)
        compare(masked, try Oracle("\(far) mark 25", in: lab.host))
        #expect(masked.number("policyRule.priority") == 600)
        let plain = try Explanation(far, in: lab.host)
        compare(plain, try Oracle(far, in: lab.host))
        #expect(plain.number("policyRule.priority") == 32766)
        let bound = try Explanation("10.9.1.1,\(far)", in: lab.host)
        compare(bound, try Oracle("\(far) from 10.9.1.1", in: lab.host))
        #expect(bound.number("policyRule.priority") == 800)
    }

    @Test("`explain` gives the kernel's error, and the policy rule that may be the cause")
    func errors() throws {
        let lab = try Lab()
        try lab.host.ip("route add blackhole 192.0.2.0/24")
        let blackhole = try Explanation(far, in: lab.host)
        #expect(blackhole.text("rule") == "error" && blackhole.text("reason") == "blackhole")
        #expect(blackhole.number("route.error") == Int(EINVAL) && !blackhole.has("route.type"))
        #expect(!blackhole.has("policyRule") && blackhole.links.isEmpty)
        // A rule for an interface that does not exist matches nothing, and its inversion everything.
        try lab.host.ip("rule add not iif none0 prohibit pref 60")
        let inverted = try Explanation("203.0.113.1", in: lab.host)
        #expect(
            inverted.text("reason") == "prohibited" && inverted.number("policyRule.priority") == 60)
        try lab.host.ip("rule del pref 60")
        try lab.host.ip("rule add to 198.51.100.0/24 prohibit pref 70")
        let prohibit = try Explanation("198.51.100.1", in: lab.host)
        #expect(prohibit.number("route.error") == Int(EACCES))
        #expect(
            prohibit.number("policyRule.priority") == 70
                && prohibit.text("policyRule.action") == "prohibit")
        #expect(try lab.routeGet("198.51.100.1") == nil)
    }

    @Test("`explain` gives the link without carrier as the cause")
    func linkDown() async throws {
        let lab = try Lab()
        let watch = try await Watch(.address(far), in: lab.host, expecting: .reachable)
        try lab.carrier(false)
        try await watch.expect([], .linkDown)
        let explanation = try Explanation(far, in: lab.host)
        #expect(explanation.text("rule") == "linkDown" && explanation.bool("links.usable") == false)
        #expect(explanation.text("route.gateway") == "10.9.0.2")
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
