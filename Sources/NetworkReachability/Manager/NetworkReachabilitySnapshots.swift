// SPDX-License-Identifier: MIT

/// The snapshots of a manager's target.
///
///     for try await snapshot in manager.snapshots {
///         print(snapshot.status, snapshot.interface?.name ?? "no interface")
///     }
///
/// Every iteration begins with the current value. It starts monitoring if need be; the end of the last
/// iteration then stops it. Only the newest value is buffered: a slow consumer may miss values in between,
/// never the latest. An iteration ends when its task is cancelled or after
/// ``NetworkReachabilityManager/stopMonitoring()``, and throws if monitoring could not start or failed.
///
/// A loop at the top level of `main.swift` never releases its iterator, even after `break`, and monitoring goes
/// on: put it into a function or a task.
public struct NetworkReachabilitySnapshots: AsyncSequence, Sendable {
    /// A snapshot.
    public typealias Element = ReachabilitySnapshot

    /// The error of a monitor that could not start or failed.
    public typealias Failure = ReachabilityError

    private let manager: NetworkReachabilityManager

    init(manager: NetworkReachabilityManager) {
        self.manager = manager
    }

    /// Starts a new iteration.
    public func makeAsyncIterator() -> Iterator {
        Iterator(source: SnapshotSource(manager: manager))
    }

    /// One iteration.
    ///
    /// It keeps the manager alive.
    public struct Iterator: AsyncIteratorProtocol {
        // `for await` releases the sequence once it has the iterator, so the iterator holds the source.
        private let source: SnapshotSource
        private var iterator: SnapshotSource.Stream.AsyncIterator

        init(source: SnapshotSource) {
            self.source = source
            iterator = source.stream.makeAsyncIterator()
        }

        /// Waits for the next value; nil at the end.
        public mutating func next(
            isolation actor: isolated (any Actor)? = #isolation
        ) async throws(ReachabilityError) -> ReachabilitySnapshot? {
            try await iterator.next(isolation: actor)?.get()
        }
    }
}

extension NetworkReachabilityManager {
    /// All changes, beginning with the current value; see ``NetworkReachabilitySnapshots``.
    public var snapshots: NetworkReachabilitySnapshots {
        NetworkReachabilitySnapshots(manager: self)
    }
}
