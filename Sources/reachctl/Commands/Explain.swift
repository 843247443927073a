// SPDX-License-Identifier: MIT
import ArgumentParser
import NetworkReachability

/// `reachctl explain`.
struct Explain: Subcommand {
    static let configuration = CommandConfiguration(
        commandName: "explain",
        abstract: "Print how each verdict was reached, and exit.",
        usage: "reachctl explain [<options>] [<target> ...]",
        discussion: """
            Prints each step: what decided, the address, the policy rule, the matched route and \
            its table, the interface and the interfaces below it, the source, and what a socket's connect() \
            finds. Without a target, explains the internet. Sends only DNS queries.

            The kernel names no route for an error, so the policy rule is then the first that could have \
            caused it. Verdicts are for TCP without a port: rules that select by ports, DSCP, or another \
            protocol don't match a lookup, so traffic may take another path.

            JSON: target, kind, flags, words, letters, status, reason, resolution, error, addresses, \
            nextHops, and usableNextHops as in 'status'; rule, address (the one that decided), addressRule, addressCount, lookupCount, \
            reachableCount, policyRule {priority, action}, otherPolicyRules, unevaluatedPolicyRules, route \
            {error, type, table, prefix, gateway}, source {address, state, flags, interface}, links \
            [{index, name, kind, class, basis, up, running, lowerUp, dormant, usable, master, hardwareType, \
            devtype, driver}], modem {interface, registered, locked, onTraffic}, lookups (2 if a socket \
            looks up again), firstLookup {error, source, interface}, socket {error, source}, underlay (the \
            interfaces that may carry a tunnel, the likeliest first). An \
            unknown value is null.

            EXIT STATUS:
              0     every target is reachable
              1     a target is not reachable
              64    bad usage
              71    a system error

            EXAMPLES:
              reachctl explain db.example.com
                  Whether and why a host is reachable, and over which route.
              reachctl explain --mark 0x10 192.0.2.1
                  Which policy rule and table a marked packet takes.
            """)

    @OptionGroup var options: TargetOptions

    @OptionGroup var waiting: TimeoutOptions

    @OptionGroup var color: ColorOptions

    func perform() throws {
        let targets = try options.resolved()
        let monitoring = try Monitoring(targets, in: options.common.namespace)
        _ = try monitoring.finalSnapshots(targets.count, timeout: waiting.timeout)
        var reports: [Report] = []
        var output = Output()
        for (position, target) in targets.enumerated() {
            let explanation = try monitoring.explanation(of: position)
            let style = TextStyle(isVerbose: true, isColored: color.isColored(output.isTerminal))
            reports.append(Report(target: target, snapshot: explanation.snapshot))
            let carriers = try carriers(of: explanation.snapshot)
            try output.line(
                options.common.json
                    ? Explain.json(target, explanation, over: carriers)
                    : "\(target.text.printable)\n\(Explain.indented(explanation, style))"
                        + Explain.line(about: carriers))
        }
        try output.flush()
        try reports.checkResources()
        guard reports.allSatisfy(\.snapshot.status.isReachable) else { throw ExitCode.failure }
    }

    /// The interfaces that may carry the tunnel of a path, the likeliest first; nil without a tunnel.
    private func carriers(
        of snapshot: ReachabilitySnapshot
    ) throws(Failure) -> [NetworkInterface]? {
        guard snapshot.mayUseTunnel else { return nil }
        do {
            let host = try NetworkHost.current(in: options.common.namespace)
            return host.carriers(of: snapshot)?.map(\.interface)
        } catch {
            throw .system(error)
        }
    }

    private static func line(about carriers: [NetworkInterface]?) -> String {
        guard let carriers else { return "" }
        let names = carriers.map { "\($0.name.printable) \($0.interfaceClass)" }
        return "\n    underlay "
            + (names.isEmpty ? "none on this host" : names.joined(separator: ", "))
    }

    private static func indented(
        _ explanation: ReachabilityExplanation, _ style: TextStyle
    ) -> String {
        // The first occurrence of the words is the verdict: color it.
        let words = explanation.snapshot.flags.words
        return explanation.description.split(separator: "\n")
            .map { "    \(String($0).printable)" }.joined(separator: "\n")
            .replacing(words, with: style.verdict(explanation.snapshot), maxReplacements: 1)
    }

    private static func json(
        _ target: Target, _ explanation: ReachabilityExplanation,
        over carriers: [NetworkInterface]?
    ) -> String {
        let snapshot = explanation.snapshot
        var object: JSONObject = ["target": target.text, "kind": target.kindName]
        object.add(snapshot.flags.json)
        object.add(snapshot.causes)
        object.set("addresses", snapshot.addressTexts)
        object.add(snapshot.nextHops)
        object.add([
            "rule": explanation.rule ?? "", "address": explanation.address?.description,
            "addressRule": explanation.addressRule,
            "addressCount": Int64(explanation.addressCount),
            "lookupCount": Int64(explanation.lookupCount),
            "reachableCount": Int64(explanation.reachableCount),
            "policyRule": explanation.policyRule.map(\.json),
            "otherPolicyRules": Int64(explanation.otherPolicyRules),
            "unevaluatedPolicyRules": Int64(explanation.unevaluatedPolicyRules),
            "route": explanation.route.map(\.json), "source": explanation.source.map(\.json),
            "links": explanation.links.map(\.json), "modem": explanation.modem.map(\.json),
            "lookups": Int64(explanation.lookups),
            "firstLookup": explanation.firstLookup.map { choice in
                var object = Self.json(choice)
                object.set("interface", explanation.firstInterfaceIndex)
                return object
            },
            "socket": explanation.socket.map(Self.json), "underlay": carriers?.map(\.name),
        ])
        return object.line
    }

    private static func json(_ choice: ReachabilityExplanation.SourceChoice) -> JSONObject {
        switch choice {
        case .success(let source): ["error": nil, "source": source?.description]
        case .failure(let error): ["error": error.rawValue, "source": nil]
        }
    }
}

extension ReachabilityExplanation.PolicyRule {
    fileprivate var json: JSONObject { ["priority": priority, "action": action] }
}

extension ReachabilityExplanation.Route {
    fileprivate var json: JSONObject {
        [
            "error": error?.rawValue, "type": type, "table": table, "prefix": prefix,
            "gateway": gateway?.description,
        ]
    }
}

extension ReachabilityExplanation.Source {
    fileprivate var json: JSONObject {
        [
            "address": address?.description, "state": state, "flags": addressFlags,
            "interface": interfaceIndex,
        ]
    }
}

extension ReachabilityExplanation.Link {
    fileprivate var json: JSONObject {
        [
            "index": interface.index, "name": interface.name, "kind": interface.kind,
            "class": interface.interfaceClass.rawValue, "basis": basis,
            "up": interface.state.contains(.up), "running": interface.state.contains(.running),
            "lowerUp": interface.state.contains(.lowerUp),
            "dormant": interface.state.contains(.dormant), "usable": interface.isUsable,
            "master": interface.masterIndex, "hardwareType": hardwareType,
            "devtype": deviceType, "driver": driver,
        ]
    }
}

extension ReachabilityExplanation.Modem {
    fileprivate var json: JSONObject {
        [
            "interface": interfaceIndex, "registered": isRegistered, "locked": isLocked,
            "onTraffic": connectsOnTraffic,
        ]
    }
}
