// SPDX-License-Identifier: MIT
import NetworkReachability

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Holds back changes until they have lasted for some time; first states pass at once.
final class StableChanges: Sendable {
    private let time: Duration
    private let targets = Lock<[Int: Stabilizer<ReachabilitySnapshot>]>([:])
    private let passed = Lock<[Int: ReachabilitySnapshot]>([:])
    private let isChanged: Inbox<Bool>

    init(for time: Duration) throws(Failure) {
        self.time = time
        isChanged = try Inbox()
    }

    /// Readable while there are changes to take.
    var polled: pollfd { isChanged.polled }

    /// Adds changes, and returns those that have lasted.
    func exchange(
        _ changes: [(position: Int, snapshot: ReachabilitySnapshot)]
    ) -> [(position: Int, snapshot: ReachabilitySnapshot)] {
        for change in changes { put(change.snapshot, of: change.position) }
        return take()
    }

    /// Adds the newest state of the target at a position.
    private func put(_ snapshot: ReachabilitySnapshot, of position: Int) {
        let target = targets.withLock { targets in
            if let target = targets[position] { return target }
            let new = Stabilizer<ReachabilitySnapshot>(for: time, isRepetition: ==) { [weak self] in
                self?.pass($0, of: position)
            }
            targets[position] = new
            return new
        }
        target.take(snapshot)
    }

    private func pass(_ snapshot: ReachabilitySnapshot, of position: Int) {
        passed.withLock { $0[position] = snapshot }
        isChanged.put(true)
    }

    /// Takes the newest lasting states since the last call, in the order of targets.
    private func take() -> [(position: Int, snapshot: ReachabilitySnapshot)] {
        _ = isChanged.take()
        var taken: [Int: ReachabilitySnapshot] = [:]
        passed.withLock { swap(&$0, &taken) }
        return taken.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }
}
