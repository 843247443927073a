// SPDX-License-Identifier: MIT
import NetworkReachability

/// Reports on standard error which targets a wait still needs, and why.
struct WaitProgress {
    private let targets: [Target]
    private let isQuiet: Bool
    private var told = ""
    /// The latest state of the server as text; nil before the first.
    var connectivity: String?

    /// How many targets a line names; a list may have thousands.
    private static let named = 3

    init(_ targets: [Target], isQuiet: Bool) {
        self.targets = targets
        self.isQuiet = isQuiet
    }

    /// Writes a line, unless it repeats the last one.
    mutating func tell(_ condition: WaitCondition) {
        let text = text(condition)
        guard !isQuiet, text != told else { return }
        told = text
        mention(text)
    }

    /// Writes how the wait ended, and what it was waiting for.
    func end(_ how: String, _ condition: WaitCondition) {
        guard !isQuiet else { return }
        mention("\(how) \(text(condition))")
    }

    private func text(_ condition: WaitCondition) -> String {
        let unmet = condition.unmet
        let count = targets.count
        let number = condition.any ? "one of \(count)" : "all \(count)"
        let subject = count == 1 ? targets[0].text : "\(number) targets"
        let goal = condition.unreachable ? "unreachable" : "reachable"
        if unmet.isEmpty, condition.isConnected == false {
            return "waiting for the server's answer: \(connectivity ?? "none yet")"
        }
        guard !unmet.isEmpty else { return "waiting for \(subject) to stay \(goal)" }
        var reasons = unmet.prefix(WaitProgress.named).map { position in
            condition.snapshots[position].map { snapshot in
                Report(target: targets[position], snapshot: snapshot)
                    .text(isLabelled: false, style: .plain)
            } ?? "unknown"
        }
        if count > 1 {
            reasons = zip(unmet, reasons).map { "\(targets[$0].text) \($1)" }
        }
        if unmet.count > reasons.count { reasons.append("\(unmet.count - reasons.count) more") }
        return "waiting for \(subject) to be \(goal): \(reasons.joined(separator: "; "))"
    }
}
