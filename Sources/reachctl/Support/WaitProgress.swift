// SPDX-License-Identifier: MIT
import NetworkReachability

/// What a wait tells on standard error: what it waits for, and why.
struct WaitProgress {
    private let targets: [Target]
    private let isQuiet: Bool
    private var told = ""
    /// What the answer of the server is so far.
    var connectivity: String?

    /// Targets that a line names; a list may have thousands.
    private static let named = 3

    init(_ targets: [Target], isQuiet: Bool) {
        self.targets = targets
        self.isQuiet = isQuiet
    }

    /// Writes a line if it is another one than the last.
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
            return "waiting for the answer of the server: \(connectivity ?? "none yet")"
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
