// SPDX-License-Identifier: MIT

/// The statuses of a manager's target, each different from the one before.
///
///     for try await status in manager.statuses {
///         print(status.isReachable ? "online" : "offline")
///     }
///
/// Like ``NetworkReachabilitySnapshots`` it begins with the current value, starts monitoring if need be,
/// buffers the newest value only, and ends with ``NetworkReachabilityManager/stopMonitoring()`` or its
/// task.
public struct NetworkReachabilityStatuses: AsyncSequence, Sendable {
    /// A status.
    public typealias Element = NetworkReachabilityStatus

    /// The error of a monitor that could not start or failed.
    public typealias Failure = ReachabilityError

    private let snapshots: NetworkReachabilitySnapshots

    init(manager: NetworkReachabilityManager) {
        snapshots = NetworkReachabilitySnapshots(manager: manager)
    }

    /// Starts a new iteration.
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

extension NetworkReachabilityManager {
    /// Each status that differs from the one before, beginning with the current one; see
    /// ``NetworkReachabilityStatuses``.
    public var statuses: NetworkReachabilityStatuses {
        NetworkReachabilityStatuses(manager: self)
    }
}
