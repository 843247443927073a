// SPDX-License-Identifier: MIT
import NetworkReachability

extension ReachabilityFlags {
    /// Adds the flags and their text forms.
    func add(to object: inout JSONObject) {
        object.set("flags", rawValue)
        object.set("words", words)
        object.set("letters", letters)
        object.set("status", status.description)
    }
}

extension ReachabilitySnapshot {
    /// Adds the numbers of next hops.
    func addNextHops(to object: inout JSONObject) {
        object.set("nextHops", Int64(nextHopCount))
        object.set("usableNextHops", Int64(usableNextHopCount))
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
    func json(_ event: JSONObject = JSONObject()) -> JSONObject {
        var object = event
        object.set("target", target.text)
        object.set("kind", target.kindName)
        snapshot.flags.add(to: &object)
        object.set("interface", snapshot.interface.map(Report.json))
        object.set("source", snapshot.source?.description)
        object.set("gateway", snapshot.gateway?.description)
        snapshot.addNextHops(to: &object)
        object.set("addresses", snapshot.addresses.map(\.description))
        object.set("reason", snapshot.reason.isFailure ? snapshot.reason.rawValue : nil)
        object.set(
            "resolution", snapshot.resolution == .notAName ? nil : snapshot.resolution.rawValue)
        object.set("error", snapshot.error?.rawValue)
        object.set("metered", snapshot.isMetered)
        return object
    }

    /// The failure if the resolver lacked descriptors or memory, which says nothing about the target.
    var lackOfResources: Failure? {
        guard snapshot.reason == .resolverFailed, let error = snapshot.error else { return nil }
        return .system("'\(target.text)' can't be resolved", error.rawValue)
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
        var object = JSONObject()
        object.set("index", interface.index)
        object.set("name", interface.name)
        object.set("class", interface.interfaceClass.rawValue)
        return object
    }
}
