// SPDX-License-Identifier: MIT
import NetworkReachability

extension ReachabilityFlags {
    /// The flags and their text forms.
    var json: JSONObject {
        ["flags": rawValue, "words": words, "letters": letters, "status": status.description]
    }
}

extension ReachabilitySnapshot {
    /// Why the target isn't reachable, and the state of its name.
    var causes: JSONObject {
        [
            "reason": reason.isFailure ? reason.rawValue : nil,
            "resolution": resolution == .notAName ? nil : resolution.rawValue,
            "error": error?.rawValue,
        ]
    }

    /// The addresses of a name.
    var addressTexts: [String] { addresses.map(\.description) }

    /// The numbers of next hops.
    var nextHops: JSONObject {
        ["nextHops": Int64(nextHopCount), "usableNextHops": Int64(usableNextHopCount)]
    }
}

/// One line about one target.
struct Report {
    let target: Target
    let snapshot: ReachabilitySnapshot

    /// The words of `scutil -r`; verbose text adds the reason and the interface.
    ///
    /// With `isLabelled`, the target and a tab come first.
    func text(isLabelled: Bool, style: TextStyle) -> String {
        var words = [style.verdict(snapshot)]
        if style.isVerbose {
            if snapshot.reason.isFailure { words.append("(\(snapshot.reason.rawValue))") }
            if let interface = snapshot.interface { words.append(interface.name.printable) }
        }
        let text = words.joined(separator: " ")
        return isLabelled ? "\(target.text.printable)\t\(text)" : text
    }

    /// One line of text, or of JSON with --json.
    func line(_ options: TargetOptions, isLabelled: Bool, style: TextStyle) -> String {
        options.common.json ? json().line : text(isLabelled: isLabelled, style: style)
    }

    /// The report as JSON; its members follow those of `event`.
    func json(_ event: JSONObject = [:]) -> JSONObject {
        var object = event
        object.add(["target": target.text, "kind": target.kindName])
        object.add(snapshot.flags.json)
        object.add([
            "interface": snapshot.interface.map(Report.json),
            "source": snapshot.source?.description, "gateway": snapshot.gateway?.description,
        ])
        object.add(snapshot.nextHops)
        object.set("addresses", snapshot.addressTexts)
        object.add(snapshot.causes)
        object.set("metered", snapshot.isMetered)
        return object
    }

    /// The parts of a line of the overview: "Reachable, eth0 (wiredEthernet), metered, gateway 192.0.2.1,
    /// source 192.0.2.7".
    func overview(over carriers: [NetworkInterface]? = nil, _ style: TextStyle) -> String {
        let carrier = carriers.map { carriers in
            "carried by "
                + (carriers.first.map { "\($0.name.printable) (\($0.interfaceClass))" }
                    ?? "no interface of this host")
        }
        let reason = snapshot.reason.isFailure ? " (\(snapshot.reason.rawValue))" : ""
        let interface = snapshot.interface.map {
            "\($0.name.printable) (\($0.interfaceClass.rawValue))"
        }
        return [
            style.verdict(snapshot) + reason, interface, carrier,
            snapshot.isMetered.map { $0 ? "metered" : "not metered" },
            snapshot.gateway.map { "gateway \($0)" }, snapshot.source.map { "source \($0)" },
        ].compactMap(\.self).joined(separator: ", ")
    }

    /// Reports the final state of each target, or the current one after `timeout` seconds.
    static func all(
        of targets: [Target], in namespace: NetworkNamespace, timeout: Double,
        facts: [InterfaceFacts] = []
    ) throws(Failure) -> [Report] {
        let monitoring = try Monitoring(targets, in: namespace, facts: facts)
        let snapshots = try monitoring.finalSnapshots(targets.count, timeout: timeout)
        return zip(targets, snapshots).map {
            Report(target: $0, snapshot: $1)
        }
    }

    private static func json(_ interface: ReachabilitySnapshot.Interface) -> JSONObject {
        [
            "index": interface.index, "name": interface.name,
            "class": interface.interfaceClass.rawValue,
        ]
    }
}

extension [Report] {
    /// Throws if a name couldn't be resolved for lack of descriptors or memory, which says nothing about it.
    func checkResources() throws(Failure) {
        for report in self where report.snapshot.reason == .resolverFailed {
            guard let error = report.snapshot.error else { continue }
            throw .system(.system(error, doing: "resolving '\(report.target.text)'"))
        }
    }
}
