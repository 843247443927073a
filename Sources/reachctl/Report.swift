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

/// One line about one target.
struct Report {
    let target: Target
    let snapshot: ReachabilitySnapshot

    /// What `scutil -r` prints; `isLabelled` puts the target and a tab before it.
    func text(isLabelled: Bool) -> String {
        let words = snapshot.flags.words
        return isLabelled ? "\(target.text.printable)\t\(words)" : words
    }

    func json(time: String? = nil) -> String {
        var object = JSONObject()
        object.setIfPresent("time", time)
        object.set("target", target.text)
        object.set("kind", target.kindName)
        snapshot.flags.add(to: &object)
        object.set("interface", snapshot.interface.map(Report.json))
        object.set("source", snapshot.source?.description)
        object.set("gateway", snapshot.gateway?.description)
        object.set("addresses", snapshot.addresses.map(\.description))
        object.set("reason", snapshot.reason == .none ? nil : snapshot.reason.rawValue)
        return object.line
    }

    private static func json(_ interface: ReachabilitySnapshot.Interface) -> JSONObject {
        var object = JSONObject()
        object.set("index", interface.index)
        object.set("name", interface.name)
        object.set("class", interface.interfaceClass.rawValue)
        return object
    }
}
