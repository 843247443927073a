// SPDX-License-Identifier: MIT

internal import ReachLibc

/// A verdict and its evidence: the kernel's answer, and the other facts that decided.
///
///     let explanation = try NetworkReachabilityManager(address: "192.0.2.1").explanation()
///     print(explanation.rule ?? "", explanation.route?.prefix ?? "", explanation.links.first?.interface.name ?? "")
///     print(explanation)  // All of it, one step per line.
///
/// ``NetworkReachabilityManager/explanation()`` returns it. Values are those of rtnetlink (`linux/rtnetlink.h`).
public struct ReachabilityExplanation: Hashable, Sendable {
    /// The policy rule that a lookup matched.
    public struct PolicyRule: Hashable, Sendable {
        /// The priority (`ip rule`).
        public let priority: UInt32
        /// `lookup`, `blackhole`, `unreachable` or `prohibit`.
        ///
        /// The kernel doesn't report which rule caused an error. With one of the last three values, the rule is the
        /// first that could be the cause.
        public let action: String
    }

    /// The kernel's answer to the route lookup.
    public struct Route: Hashable, Sendable {
        /// The error if there is no route; else nil.
        public let error: ReachabilityErrno?
        /// The type as `ip route` prints it (`unicast`, `blackhole`), or nil for an error.
        public let type: String?
        /// The routing table; nil if unknown.
        public let table: UInt32?
        /// The matched prefix, for example `192.0.2.0/24`; nil if unknown.
        public let prefix: String?
        /// The next hop, if any.
        public let gateway: NetworkAddress?
    }

    /// The source address of the packets.
    public struct Source: Hashable, Sendable {
        /// The address; nil if the kernel has none.
        public let address: NetworkAddress?
        /// `usable`, `deprecated` (usable), `notNeeded`, `missing`, `notOwn`, `tentative`, `duplicate`, or
        /// `narrow`: its scope is smaller than the target's.
        public let state: String
        /// `IFA_F_*` of `linux/if_addr.h`; 0 if the source isn't an address of this host.
        public let addressFlags: UInt32
        /// The index of the interface that has the address, or nil.
        public let interfaceIndex: UInt32?
    }

    /// The source that the kernel chose for packets without one (nil if it reported none), or the kernel's error.
    public typealias SourceChoice = Result<NetworkAddress?, ReachabilityErrno>

    /// An interface of the path, and the evidence for its class.
    public struct Link: Hashable, Sendable {
        /// The interface, with its class and state.
        public let interface: NetworkInterface
        /// `kind`, `device`, `peer`, `lower`, or `ports`; the last two take the class from the next link.
        public let basis: String
        /// `ARPHRD_*` of `linux/if_arp.h`.
        public let hardwareType: UInt32
        /// DEVTYPE from sysfs, if it was read.
        public let deviceType: String?
        /// The driver name from sysfs, if it was read.
        public let driver: String?
    }

    /// A modem that decided the verdict.
    public struct Modem: Hashable, Sendable {
        /// The index of its interface, if known.
        public let interfaceIndex: UInt32?
        /// Whether it is registered with a network.
        public let isRegistered: Bool
        /// Whether its SIM is locked.
        public let isLocked: Bool
        /// Whether traffic makes the modem connect.
        public let connectsOnTraffic: Bool
    }

    /// The explained state.
    public let snapshot: ReachabilitySnapshot
    /// What decided the verdict; nil without a verdict.
    ///
    /// If the target is reachable: `loopback` or `local` (an address of this host), `unicast`, `cellular`,
    /// `pointToPoint`, `multicast`, or `localWiFi` (a usable interface has an address). If it isn't: `error` (the
    /// kernel has no route, or one that rejects packets), `noInterface`, `localDown` (an address of this host whose
    /// interface is down), `dormant`, `linkDown`, `noSource`, `modem` (one that isn't connected), `notLocal`,
    /// `localWiFi`, `unresolved` (a name without an address), or `otherInterface` (of a class that the target
    /// excludes). ``ReachabilitySnapshot/reason`` tells more about errors and names.
    public let rule: String?
    /// The address that decided the verdict, else the one that was looked up last; nil if there is none.
    public let address: NetworkAddress?
    /// The rule for ``address`` alone; differs from ``rule`` if something else decided the verdict.
    public let addressRule: String?
    /// The number of addresses of a name, or of probes of the internet target; 1 for an address.
    public let addressCount: Int
    /// How many of the addresses were looked up: for the internet, a majority of the IPv4 probes if these are reachable, else all.
    public let lookupCount: Int
    /// How many of the addresses that were looked up are reachable.
    public let reachableCount: Int
    /// The policy rule; nil if unknown.
    public let policyRule: PolicyRule?
    /// The number of policy rules in addition to the kernel's three initial ones.
    public let otherPolicyRules: Int
    /// How many ``otherPolicyRules`` match properties that a lookup lacks (ports, protocol, DSCP, interface group).
    ///
    /// Traffic with these properties may take another route.
    public let unevaluatedPolicyRules: Int
    /// The kernel's answer; nil if nothing was looked up.
    public let route: Route?
    /// The interface and the ones below it, top first; empty if there is none.
    public let links: [Link]
    /// The source; nil if none was needed.
    public let source: Source?
    /// The modem, if one decided the verdict.
    public let modem: Modem?
    /// The number of lookups behind the answer.
    ///
    /// It is 2 if a socket would look up again: with the first lookup's source (IPv4), or after its error (IPv6). The
    /// device of a VRF, too, looks packets up again that a route leaks into the VRF.
    public let lookups: Int
    /// The answer to the first of two lookups; nil if one was enough.
    public let firstLookup: SourceChoice?
    /// The index of the interface of ``firstLookup``; nil with an error.
    public let firstInterfaceIndex: UInt32?
    /// Whether the first lookup leads to the device of a VRF, which makes the second one.
    let isLeak: Bool
    /// The result of `connect()` on an unbound UDP socket, which sends nothing.
    ///
    /// Nil for an address pair, and if the process may not create such a socket (because of its mark, user, or
    /// interface).
    public let socket: SourceChoice?

    /// Whether socket and lookup disagree: only one of them finds a route, or they have different sources.
    ///
    /// If so, the verdict is wrong for a socket: please report a bug. False where UDP may take another way than TCP, for
    /// which verdicts are: with several next hops, or rules by protocol or port. Also false if the device of a VRF drops
    /// the packets of a socket that connected.
    public var differsFromSocket: Bool {
        guard let socket, let route, snapshot.nextHopCount < 2, unevaluatedPolicyRules == 0, !isLeak
        else { return false }
        let errors: Set<String?> = ["blackhole", "unreachable", "prohibit", "throw"]
        let fails = route.error != nil || errors.contains(route.type)
        guard case .success(let chosen) = socket else { return !fails }
        return fails || chosen != nil && source?.address != nil && chosen != source?.address
    }
}

extension ReachabilityExplanation: CustomStringConvertible {
    /// The steps of the verdict, one per line.
    public var description: String {
        lines.map { name, text in
            name + String(repeating: " ", count: max(1, 9 - name.utf8.count)) + text
        }.joined(separator: "\n")
    }

    private func socketText(_ socket: SourceChoice) -> String {
        let found =
            switch socket {
            case .success(let source): "connects from \(source?.description ?? "any")"
            case .failure(let error): "'\(error)'"
            }
        return found + (differsFromSocket ? " - differs from the verdict" : "")
    }

    private var countText: String {
        guard addressCount > 1 else { return "" }
        let rest = addressCount - lookupCount
        let restText = rest > 0 ? ", \(rest) not looked up" : ""
        return " (\(reachableCount) of \(lookupCount) reachable\(restText))"
    }

    private var nextHopText: String {
        guard snapshot.nextHopCount > 1 else { return "" }
        return ", \(snapshot.usableNextHopCount) of \(snapshot.nextHopCount) next hops usable"
    }

    private var lines: [(String, String)] {
        var lines = [("verdict", snapshot.description)]
        lines.append(("because", rule.map(words(of:)) ?? "no verdict yet"))
        if !snapshot.addresses.isEmpty {
            lines.append(("resolved", snapshot.addresses.map(\.description).joined(separator: " ")))
        }
        if let address {
            lines.append(("address", "\(address)\(countText)"))
        }
        if addressRule != rule, let addressRule {
            lines.append(("", "alone: \(words(of: addressRule))"))
        }
        lines += policy.map { ("policy", $0) }
        if let firstLookup {
            let who = isLeak ? "by this VRF" : "as a socket does"
            lines.append(("first", text(of: firstLookup) + "; looked up again " + who))
        }
        if let route { lines.append(("route", route.description + nextHopText)) }
        for (position, link) in links.enumerated() {
            lines.append((position == 0 ? "link" : "on", link.description))
        }
        if let source { lines.append(("source", source.description)) }
        if let modem { lines.append(("modem", modem.description)) }
        if let socket { lines.append(("socket", socketText(socket))) }
        return lines
    }

    private func text(of first: SourceChoice) -> String {
        switch first {
        case .success(let source):
            "by interface \(firstInterfaceIndex ?? 0) from \(source?.description ?? "any")"
        case .failure(let error): "the kernel answers '\(error)' without a source"
        }
    }

    /// The name and text of a rule; for a link that is down, which link and why, and for a name the resolver's error.
    private func words(of rule: String) -> String {
        "\(rule): \(cause(of: rule) ?? Self.sentences[rule] ?? "a rule of a later version")"
    }

    private static let sentences = [
        "error": "the kernel has no route, or one that rejects packets",
        "noInterface": "the target's interface does not exist, or a link-local address names none",
        "localDown":
            "an address of this host, but the interface that delivers its packets is down",
        "loopback": "a loopback address of this host",
        "local": "an address of this host",
        "unicast": "route, interface and source are usable",
        "cellular": "route, interface and source are usable; the interface is cellular",
        "pointToPoint": "route, interface and source are usable; the interface is point to point",
        "multicast": "multicast or broadcast over a usable interface",
        "dormant": "the interface is dormant: a connection is required",
        "linkDown": "the interface carries no packets",
        "noSource": "no usable source address",
        "modem": "no usable route, but there is a modem that is not connected",
        "notLocal": "the local address is not an address of this host",
        "localWiFi": "decided by whether a usable Wi-Fi or wired interface has an address",
        "unresolved": "the name has no address, or is not resolved",
        "otherInterface": "the target does not allow interfaces of this class",
    ]

    /// The resolver's error, or the lowest link that is down: a VLAN follows the one below, ports of a bridge may differ.
    private func cause(of rule: String) -> String? {
        if rule == "unresolved" { return snapshot.error.map { "the resolver failed: \($0)" } }
        guard rule == "linkDown" else { return nil }
        var failed = links.first
        for (upper, lower) in zip(links, links.dropFirst()) {
            guard upper.basis == "lower", lower.interface.state.condition != .usable else { break }
            failed = lower
        }
        return failed.flatMap { $0.interface.state.condition.sentence(about: $0.interface.name) }
    }

    private var policy: [String] {
        guard route != nil else { return [] }
        var text = policyRule.map { "rule \($0.priority) \($0.action)" } ?? "rule not known"
        if otherPolicyRules > 0 { text += "; \(otherPolicyRules) besides the kernel's own" }
        if unevaluatedPolicyRules > 0 {
            text += ", \(unevaluatedPolicyRules) match on properties that a lookup lacks"
        }
        return [text]
    }
}

extension ReachabilityExplanation.Route {
    fileprivate var description: String {
        // The errors of routes and rules of these types (fib_props in net/ipv4/fib_semantics.c).
        let types = [EINVAL: "blackhole", EACCES: "prohibit"]
        if let error { return "\(types[error.rawValue] ?? "none"): the kernel answers '\(error)'" }
        var words = [type ?? "", prefix ?? "(prefix not known)"]
        if let gateway { words.append("via \(gateway)") }
        switch table {
        case nil: break
        case 253: words.append("table default")
        case 254: words.append("table main")
        case 255: words.append("table local")
        case let table?: words.append("table \(table)")
        }
        return words.joined(separator: " ")
    }
}

extension ReachabilityExplanation.Link {
    fileprivate var description: String {
        var words = [interface.name, interface.interfaceClass.rawValue, "(by \(basis))"]
        words += interface.state.names
        if let shortfall = interface.state.condition.shortfall { words.append("- \(shortfall)") }
        return words.joined(separator: " ")
    }
}

extension ReachabilityExplanation.Source {
    fileprivate var description: String {
        [address?.description, state].compactMap(\.self).joined(separator: " ")
    }
}

extension ReachabilityExplanation.Modem {
    fileprivate var description: String {
        (isRegistered ? "registered" : isLocked ? "SIM locked" : "not registered")
            + (connectsOnTraffic ? ", connects on traffic" : "")
    }
}
