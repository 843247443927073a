// SPDX-License-Identifier: MIT
import NetworkReachability

/// What a wait waits for.
///
/// Pure: states and times (milliseconds of CLOCK_MONOTONIC) go in.
struct WaitCondition {
    enum Step: Equatable {
        case reached
        case timedOut
        /// Nothing is decided until a state changes or this time comes, if there is one.
        case wait(until: Int64?)
    }

    /// The latest state of each target, nil before the first.
    var snapshots: [ReachabilitySnapshot?]

    /// Whether the server answers as expected; nil if none is asked.
    var isConnected: Bool?

    let any: Bool
    let unreachable: Bool
    /// How long the condition must hold without interruption.
    private let stable: Int64
    /// When the time has passed.
    private let end: Int64?
    private var heldSince: Int64?

    init(count: Int, any: Bool, unreachable: Bool, stable: Int64, end: Int64?) {
        snapshots = Array(repeating: nil, count: count)
        self.any = any
        self.unreachable = unreachable
        self.stable = stable
        self.end = end
    }

    /// Looks at the states as they are at `now`.
    mutating func step(_ now: Int64) -> Step {
        let isReached = any ? snapshots.contains(where: isWanted) : snapshots.allSatisfy(isWanted)
        let holds = isReached && isConnected != false
        heldSince = holds ? heldSince ?? now : nil
        let due = heldSince.map { $0 + stable }
        if let due, due <= now { return .reached }
        // The first states are looked at even if there is no time.
        let limit = snapshots.contains(nil) ? nil : end
        if let limit, limit <= now { return .timedOut }
        return .wait(until: [due, limit].compactMap(\.self).min())
    }

    /// Where the condition does not hold, in the order of targets; empty if all that is missing is time, or
    /// the answer of the server.
    var unmet: [Int] {
        heldSince == nil ? snapshots.indices.filter { !isWanted(snapshots[$0]) } : []
    }

    /// A name counts once it is resolved, for either answer.
    private func isWanted(_ snapshot: ReachabilitySnapshot?) -> Bool {
        guard let snapshot, snapshot.resolution != .pending else { return false }
        return snapshot.status.isReachable != unreachable
    }
}
