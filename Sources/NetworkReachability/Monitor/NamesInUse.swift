// SPDX-License-Identifier: MIT

/// The targets of a monitor that are names, and those that were until a moment ago.
///
/// The monitor keeps a former name resolved for the linger time, so that another session for it starts with its
/// answer, as after a wait.
struct NamesInUse: Sendable {
    /// Bounds what a program costs that checks ever more names.
    private static let mostFormer = 16

    private var current: Set<UInt64> = []
    private var former: [UInt64] = []

    mutating func insert(_ id: UInt64) {
        current.insert(id)
    }

    /// Keeps a name whose session has ended; returns the targets to remove from the monitor now.
    mutating func retire(_ id: UInt64) -> [UInt64] {
        guard current.remove(id) != nil else { return [id] }
        former.append(id)
        return former.count > Self.mostFormer ? [former.removeFirst()] : []
    }

    /// Forgets all former names; returns the targets to remove from the monitor.
    mutating func forget() -> [UInt64] {
        defer { former = [] }
        return former
    }

    var hasFormer: Bool { !former.isEmpty }
}
