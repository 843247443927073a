// SPDX-License-Identifier: MIT

/// The states of a ``ConnectivityMonitor``: the current one once it is known, and every change.
///
///     for await state in monitor.states where state.level == .full {
///         print("online over \(state.snapshot.interface?.name ?? "?")")
///     }
///
/// Only the newest state is buffered: a slow consumer may miss states in between, never the latest. An
/// iteration keeps the monitor alive, and ends when its task is cancelled.
public struct ConnectivityStates: AsyncSequence, Sendable {
    /// A state.
    public typealias Element = ConnectivityState

    /// The sequence does not throw.
    public typealias Failure = Never

    private let monitor: ConnectivityMonitor
    private let hub: ConnectivityHub
    private let owner: ConnectivityHub.Identity

    init(monitor: ConnectivityMonitor, hub: ConnectivityHub, owner: ConnectivityHub.Identity) {
        self.monitor = monitor
        self.hub = hub
        self.owner = owner
    }

    /// Starts a new iteration.
    public func makeAsyncIterator() -> Iterator {
        let (stream, continuation) = AsyncStream<ConnectivityState>.makeStream(
            bufferingPolicy: .bufferingNewest(1))
        return Iterator(
            source: Source(monitor, hub, owner, continuation), iterator: stream.makeAsyncIterator())
    }

    /// One iteration.
    public struct Iterator: AsyncIteratorProtocol {
        // `for await` releases the sequence once it has the iterator, so the iterator holds the source.
        fileprivate let source: Source
        fileprivate var iterator: AsyncStream<ConnectivityState>.AsyncIterator

        /// Waits for the next value; nil at the end.
        public mutating func next(
            isolation actor: isolated (any Actor)? = #isolation
        ) async -> ConnectivityState? {
            await iterator.next(isolation: actor)
        }
    }

    /// The subscription of an iteration, which ends with it.
    fileprivate final class Source: Sendable {
        private let monitor: ConnectivityMonitor
        private let hub: ConnectivityHub
        private let identity = ConnectivityHub.Identity()
        private let continuation: AsyncStream<ConnectivityState>.Continuation

        init(
            _ monitor: ConnectivityMonitor, _ hub: ConnectivityHub,
            _ owner: ConnectivityHub.Identity,
            _ continuation: AsyncStream<ConnectivityState>.Continuation
        ) {
            self.monitor = monitor
            self.hub = hub
            self.continuation = continuation
            hub.subscribe(identity, of: owner, to: .changes) { continuation.yield($0) }
        }

        // Not in `onTermination`, which Task.cancel() calls under the task's status lock.
        deinit {
            // In a child of fork() a thread of the parent may hold the locks of both for ever.
            guard hub.isOfThisProcess else { return }
            hub.unsubscribe(identity)
            continuation.finish()
        }
    }
}
