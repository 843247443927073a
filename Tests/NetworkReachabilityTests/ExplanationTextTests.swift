// SPDX-License-Identifier: MIT
import CReach
import Testing

@testable import NetworkReachability

@Suite("The text of explanations")
struct ExplanationTextTests {
    private static let up: NetworkInterfaceState = [.up, .running, .lowerUp]

    private func link(
        _ name: String, _ state: NetworkInterfaceState, basis: String = "device"
    ) -> ReachabilityExplanation.Link {
        ReachabilityExplanation.Link(
            interface: NetworkInterface(
                index: 2, name: name, interfaceClass: .wiredEthernet, state: state),
            basis: basis, hardwareType: 1, deviceType: nil, driver: nil)
    }

    /// The lines of an explanation with these links.
    private func lines(
        _ links: [ReachabilityExplanation.Link], rule: String = "linkDown"
    ) -> [String] {
        ReachabilityExplanation(
            snapshot: ReachabilitySnapshot(flags: [], reason: .linkDown), rule: rule, address: nil,
            addressRule: rule, addressCount: 1, lookupCount: 1, reachableCount: 0,
            policyRule: nil, otherPolicyRules: 0,
            unevaluatedPolicyRules: 0, route: nil, links: links,
            source: nil,
            modem: nil, lookups: 1, firstLookup: nil, firstInterfaceIndex: nil, isLeak: false,
            socket: nil
        ).description.split(separator: "\n").dropFirst().map(String.init)
    }

    @Test(
        "linkDown is explained as down, no carrier, not running, or dropping all packets",
        arguments: [
            ([], "eth0 is down: bring it up, for example with 'ip link set eth0 up'", " - down"),
            (
                .up, "eth0 has no carrier: the cable is unplugged, or the other end is down",
                "up - no carrier"
            ),
            (
                [.up, .lowerUp], "eth0 has a carrier, but is not running",
                "up lowerUp - carrier, but not running"
            ),
            (
                up, "eth0 drops all packets that it is given (dummy, ifb, or monitor mode)",
                "up running lowerUp - drops all packets (dummy, ifb, or monitor mode)"
            ),
        ] as [(NetworkInterfaceState, String, String)])
    func causes(state: NetworkInterfaceState, sentence: String, words: String) {
        let lines = lines([link("eth0", state)])
        #expect(lines.first == "because  linkDown: \(sentence)")
        #expect(lines.last?.hasSuffix(words) == true, "\(lines)")
    }

    @Test("For a VLAN, an unusable link below it is named, and for a bridge, the bridge itself")
    func layers() {
        let vlan = link("eth0.5", .up, basis: "lower")
        let below = lines([vlan, link("eth0", [])])
        #expect(below.first?.hasPrefix("because  linkDown: eth0 is down") == true, "\(below)")
        // REACH_INTERFACE_USABLE.
        let able = Self.up.union(NetworkInterfaceState(rawValue: 1 << 5))
        #expect(able.isUsable)
        let usable = lines([vlan, link("eth0", able)])
        #expect(usable.first?.hasPrefix("because  linkDown: eth0.5 has no carrier") == true)
        let bridge = lines([link("br0", .up, basis: "ports"), link("eth0", [])])
        #expect(bridge.first?.hasPrefix("because  linkDown: br0 has no carrier") == true)
    }

    @Test("Without an interface, or for another rule, the rule's own text is used")
    func general() {
        #expect(lines([]).first == "because  linkDown: the interface carries no packets")
        let route = lines([link("eth0", .up)], rule: "error")
        #expect(
            route.first == "because  error: the kernel has no route, or one that rejects packets")
    }

    @Test("Each rule of C has a text")
    func rules() {
        let names = (UInt32(1)..<1000).map { unsafe String(cString: reach_rule_name($0)) }
            .filter { !$0.isEmpty }
        #expect(names.count == 17)
        for name in names where name != "linkDown" {
            let because = lines([], rule: name).first
            #expect(because?.hasPrefix("because  \(name): ") == true)
            #expect(because?.hasSuffix("later version") == false)
        }
    }

    private static let refused = ReachabilityErrno(rawValue: 101)
    private static let one = NetworkAddress(ipv4: 192, 0, 2, 1)
    private static let other = NetworkAddress(ipv4: 192, 0, 2, 2)

    /// An explanation with the route that was found, or its error, and the result of a socket.
    private func explanation(
        error: ReachabilityErrno? = nil, type: String? = "unicast", source: NetworkAddress? = one,
        socket: ReachabilityExplanation.SourceChoice?, nextHops: Int = 1, unevaluated: Int = 0,
        leaked: ReachabilityExplanation.SourceChoice? = nil
    ) -> ReachabilityExplanation {
        ReachabilityExplanation(
            snapshot: ReachabilitySnapshot(
                flags: [], reason: .noRoute, nextHopCount: nextHops, usableNextHopCount: 1),
            rule: "error", address: nil,
            addressRule: "error", addressCount: 1, lookupCount: 1, reachableCount: 0,
            policyRule: nil, otherPolicyRules: 0, unevaluatedPolicyRules: unevaluated,
            route: ReachabilityExplanation.Route(
                error: error, type: type, table: nil, prefix: nil, gateway: nil),
            links: [],
            source: ReachabilityExplanation.Source(
                address: source, state: "usable", addressFlags: 0, interfaceIndex: nil),
            modem: nil, lookups: 1, firstLookup: leaked,
            firstInterfaceIndex: leaked.map { _ in 6 }, isLeak: leaked != nil, socket: socket)
    }

    private func differs(_ explanation: ReachabilityExplanation) -> Bool {
        let line = explanation.description.split(separator: "\n").last { $0.hasPrefix("socket") }
        let warns = line?.hasSuffix(" - differs from the verdict") == true
        #expect(warns == explanation.differsFromSocket, "\(explanation)")
        return warns
    }

    @Test("The text has the numbers of next hops if there are several")
    func nextHops() {
        func route(_ nextHops: Int) -> Substring? {
            explanation(socket: nil, nextHops: nextHops).description.split(separator: "\n")
                .first { $0.hasPrefix("route") }
        }
        #expect(route(1) == "route    unicast (prefix not known)")
        #expect(route(3) == "route    unicast (prefix not known), 1 of 3 next hops usable")
    }

    @Test(
        "The text has the type of a refusing route and the kernel's error",
        arguments: [(22, "blackhole"), (13, "prohibit"), (101, "none")] as [(Int32, String)])
    func refusing(code: Int32, type: String) {
        let error = ReachabilityErrno(rawValue: code)
        let text = explanation(error: error, type: nil, socket: nil).description
        #expect(text.contains("\nroute    \(type): the kernel answers '\(error)'\n"), "\(text)")
    }

    @Test("The text marks a socket whose result differs from the verdict, and no other")
    func socket() {
        typealias Socket = ReachabilityExplanation.SourceChoice
        let connects = Socket.success(Self.one)
        let elsewhere = Socket.success(Self.other)
        let fails = Socket.failure(Self.refused)
        #expect(!differs(explanation(socket: connects)) && !differs(explanation(socket: nil)))
        #expect(differs(explanation(socket: elsewhere)) && differs(explanation(socket: fails)))
        #expect(!differs(explanation(source: nil, socket: connects)))
        for type in ["blackhole", "unreachable", "prohibit", "throw"] {
            #expect(differs(explanation(type: type, socket: connects)))
            #expect(!differs(explanation(type: type, socket: fails)))
        }
        #expect(differs(explanation(error: Self.refused, type: nil, socket: connects)))
        // UDP may take another way than TCP.
        #expect(!differs(explanation(socket: elsewhere, nextHops: 2)))
        #expect(!differs(explanation(socket: fails, unevaluated: 1)))
        #expect(!differs(explanation(error: Self.refused, type: nil, socket: fails)))
        // The socket connects, and the VRF rejects its packets.
        let leaked = Socket.success(Self.one)
        let leak = explanation(error: Self.refused, type: nil, socket: connects, leaked: leaked)
        #expect(!differs(leak))
        #expect(
            leak.description.contains(
                "first    by interface 6 from 192.0.2.1; looked up again by this VRF\n"))
    }
}
