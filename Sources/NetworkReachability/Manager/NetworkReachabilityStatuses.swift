// SPDX-License-Identifier: MIT

/// The statuses of a manager's target, each different from the one before.
///
/// Like ``NetworkReachabilitySnapshots`` it begins with the current one, starts monitoring if need be,
/// skips what a slow consumer has missed but never the latest, and ends with
/// ``NetworkReachabilityManager/stopMonitoring()`` or the task.
public struct NetworkReachabilityStatuses: AsyncSequence, Sendable {
    /// A status.
    public typealias Element = NetworkReachabilityStatus

    /// What ends the sequence early.
    public typealias Failure = ReachabilityError

    private let snapshots: NetworkReachabilitySnapshots

    init(manager: NetworkReachabilityManager) {
        snapshots = NetworkReachabilitySnapshots(manager: manager)
    }

    /// Begins an iteration of its own.
    public func makeAsyncIterator() -> Iterator {
        Iterator(snapshots: snapshots.makeAsyncIterator())
    }

    /// One iteration.
    ///
    /// It keeps the manager alive.
    public struct Iterator: AsyncIteratorProtocol {
        var snapshots: NetworkReachabilitySnapshots.Iterator
        private var last: NetworkReachabilityStatus?

        init(snapshots: NetworkReachabilitySnapshots.Iterator) {
            self.snapshots = snapshots
        }

        /// Waits for a status that differs from the last one; nil at the end.
        public mutating func next(
            isolation actor: isolated (any Actor)? = #isolation
        ) async throws(ReachabilityError) -> NetworkReachabilityStatus? {
            while let snapshot = try await snapshots.next(isolation: actor) {
                guard snapshot.status != last else { continue }
                last = snapshot.status
                return snapshot.status
            }
            return nil
        }
    }
}
