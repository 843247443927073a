// SPDX-License-Identifier: MIT

import NetworkReachability
import ReachabilityConnectivity

/// The condition that `reachctl wait` waits for.
///
/// It makes no system calls: the caller passes states and times (CLOCK_MONOTONIC, milliseconds).
struct WaitCondition {
    enum Step: Equatable {
        case reached
        case timedOut
        /// Not decided yet: wait for a change, or until this time unless it is nil.
        case wait(until: Int64?)
    }

    /// The latest state of each target, nil before the first.
    var snapshots: [ReachabilitySnapshot?]

    /// Whether the server answers as expected; nil without --connectivity.
    var isConnected: Bool?

    /// The latest state of the server; nil before the first.
    private(set) var connectivity: ConnectivityState?

    let any: Bool
    let unreachable: Bool
    /// How long the condition must hold without interruption, in milliseconds.
    private let stable: Int64
    /// When the wait times out; nil for no limit.
    private let end: Int64?
    private var heldSince: Int64?

    init(count: Int, any: Bool, unreachable: Bool, stable: Int64, end: Int64?) {
        snapshots = Array(repeating: nil, count: count)
        self.any = any
        self.unreachable = unreachable
        self.stable = stable
        self.end = end
    }

    mutating func take(_ event: Inbox.Event) {
        switch event {
        case .state(let position, let snapshot): snapshots[position] = snapshot
        case .connectivity(let state): (connectivity, isConnected) = (state, state.isFull)
        case .failure, .radio: break
        }
    }

    /// Evaluates the condition at the time `now`.
    mutating func step(_ now: Int64) -> Step {
        let holds = isReached && isConnected != false
        heldSince = holds ? heldSince ?? now : nil
        let due = heldSince.map { $0 + stable }
        if let due, due <= now { return .reached }
        // With a timeout of zero, still wait for the first state of each target.
        let limit = snapshots.contains(nil) ? nil : end
        if let limit, limit <= now { return .timedOut }
        return .wait(until: [due, limit].compactMap(\.self).min())
    }

    /// The positions of targets that aren't in the wanted state.
    ///
    /// Empty while the condition holds but hasn't lasted long enough, and while only the server's
    /// answer is missing.
    var unmet: [Int] {
        isReached ? [] : snapshots.indices.filter { !isWanted(snapshots[$0]) }
    }

    /// Whether all states are known, and all names resolved.
    var isFinal: Bool { snapshots.allSatisfy { $0.map { $0.resolution != .pending } ?? false } }

    /// Whether enough targets are in the wanted state.
    private var isReached: Bool {
        any ? snapshots.contains(where: isWanted) : snapshots.allSatisfy(isWanted)
    }

    /// Whether the target is in the wanted state; a name counts only once it is resolved.
    private func isWanted(_ snapshot: ReachabilitySnapshot?) -> Bool {
        guard let snapshot, snapshot.resolution != .pending else { return false }
        return snapshot.status.isReachable != unreachable
    }
}

/// Reports on standard error which targets a wait still needs, and why.
struct WaitProgress {
    private let targets: [Target]
    private let isQuiet: Bool
    private var told = ""
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
            return "waiting for the server's answer: \(condition.connectivity?.text ?? "none yet")"
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
