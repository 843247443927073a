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
            looks up again), firstLookup {error, source, interface}, socket {error, source}. An \
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
        var isReachable = true
        var output = Output()
        for (position, target) in targets.enumerated() {
            let explanation = try monitoring.explanation(of: position)
            let style = TextStyle(isVerbose: true, isColored: color.isColored(output.isTerminal))
            isReachable = isReachable && explanation.snapshot.status.isReachable
            try output.line(
                options.common.json
                    ? Explain.json(target, explanation)
                    : "\(target.text.printable)\n\(Explain.indented(explanation, style))")
        }
        try output.flush()
        guard isReachable else { throw ExitCode(1) }
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

    private static func json(_ target: Target, _ explanation: ReachabilityExplanation) -> String {
        let snapshot = explanation.snapshot
        var object = JSONObject()
        object.set("target", target.text)
        object.set("kind", target.kindName)
        snapshot.flags.add(to: &object)
        object.set("reason", snapshot.reason.isFailure ? snapshot.reason.rawValue : nil)
        object.set(
            "resolution", snapshot.resolution == .notAName ? nil : snapshot.resolution.rawValue)
        object.set("error", snapshot.error?.rawValue)
        object.set("addresses", snapshot.addresses.map(\.description))
        snapshot.addNextHops(to: &object)
        object.set("rule", explanation.rule.rawValue)
        object.set("address", explanation.address?.description)
        object.set(
            "addressRule",
            explanation.addressRule == .undecided ? nil : explanation.addressRule.rawValue)
        object.set("addressCount", Int64(explanation.addressCount))
        object.set("lookupCount", Int64(explanation.lookupCount))
        object.set("reachableCount", Int64(explanation.reachableCount))
        object.set("policyRule", explanation.policyRule.map(\.json))
        object.set("otherPolicyRules", Int64(explanation.otherPolicyRules))
        object.set("unevaluatedPolicyRules", Int64(explanation.unevaluatedPolicyRules))
        object.set("route", explanation.route.map(\.json))
        object.set("source", explanation.source.map(\.json))
        object.set("links", explanation.links.map(\.json))
        object.set("modem", explanation.modem.map(\.json))
        object.set("lookups", Int64(explanation.lookups))
        object.set("firstLookup", explanation.firstLookup.map { $0.json(hasInterface: true) })
        object.set("socket", explanation.socket.map { $0.json(hasInterface: false) })
        return object.line
    }
}

extension ReachabilityExplanation.SourceChoice {
    fileprivate func json(hasInterface: Bool) -> JSONObject {
        var object = JSONObject()
        object.set("error", error?.rawValue)
        object.set("source", source?.description)
        if hasInterface { object.set("interface", interfaceIndex) }
        return object
    }
}

extension ReachabilityExplanation.PolicyRule {
    fileprivate var json: JSONObject {
        var object = JSONObject()
        object.set("priority", priority)
        object.set("action", action)
        return object
    }
}

extension ReachabilityExplanation.Route {
    fileprivate var json: JSONObject {
        var object = JSONObject()
        object.set("error", error?.rawValue)
        object.set("type", type)
        object.set("table", table)
        object.set("prefix", prefix)
        object.set("gateway", gateway?.description)
        return object
    }
}

extension ReachabilityExplanation.Source {
    fileprivate var json: JSONObject {
        var object = JSONObject()
        object.set("address", address?.description)
        object.set("state", state)
        object.set("flags", addressFlags)
        object.set("interface", interfaceIndex)
        return object
    }
}

extension ReachabilityExplanation.Link {
    fileprivate var json: JSONObject {
        var object = JSONObject()
        object.set("index", interface.index)
        object.set("name", interface.name)
        object.set("kind", interface.kind)
        object.set("class", interface.interfaceClass.rawValue)
        object.set("basis", basis)
        object.set("up", interface.state.contains(.up))
        object.set("running", interface.state.contains(.running))
        object.set("lowerUp", interface.state.contains(.lowerUp))
        object.set("dormant", interface.state.contains(.dormant))
        object.set("usable", interface.isUsable)
        object.set("master", interface.masterIndex)
        object.set("hardwareType", hardwareType)
        object.set("devtype", deviceType)
        object.set("driver", driver)
        return object
    }
}

extension ReachabilityExplanation.Modem {
    fileprivate var json: JSONObject {
        var object = JSONObject()
        object.set("interface", interfaceIndex)
        object.set("registered", isRegistered)
        object.set("locked", isLocked)
        object.set("onTraffic", connectsOnTraffic)
        return object
    }
}
