// SPDX-License-Identifier: MIT

/// The interfaces of a network namespace, with their addresses, whenever they change.
///
///     for try await interfaces in NetworkInterface.updates {
///         print(interfaces.filter(\.isUsable))
///     }
///
/// Every iteration begins with the current list, sorted by index. A list is read after an event of the
/// kernel that changed a link or an address, and delivered if it differs; nothing is polled, and the
/// monitor is the one that the managers of the namespace share. Only the newest list is buffered: a slow
/// consumer may miss lists in between, never the latest. An iteration ends when its task is cancelled, and
/// throws if monitoring could not start or failed. Put a loop into a function or a task, as for
/// ``NetworkReachabilitySnapshots``.
public struct NetworkInterfaceUpdates: AsyncSequence, Sendable {
    /// All interfaces, including loopback.
    public typealias Element = [NetworkInterface]

    /// The error of a monitor that could not start or failed.
    public typealias Failure = ReachabilityError

    private let namespace: NetworkNamespace
    private let options: MonitorOptions

    package init(namespace: NetworkNamespace, options: MonitorOptions = .standard) {
        self.namespace = namespace
        self.options = options
    }

    /// Starts a new iteration.
    public func makeAsyncIterator() -> Iterator {
        Iterator(source: Source(namespace, options))
    }

    /// One iteration.
    public struct Iterator: AsyncIteratorProtocol {
        private let source: Source
        private var iterator: InterfaceStreams.Stream.AsyncIterator

        fileprivate init(source: Source) {
            self.source = source
            iterator = source.stream.makeAsyncIterator()
        }

        /// Waits for the next list; nil at the end.
        public mutating func next(
            isolation actor: isolated (any Actor)? = #isolation
        ) async throws(ReachabilityError) -> [NetworkInterface]? {
            try await iterator.next(isolation: actor)?.get()
        }
    }

    /// The stream of one iteration; owned by the iterator.
    fileprivate final class Source: Sendable {
        let stream: InterfaceStreams.Stream
        private let continuation: InterfaceStreams.Stream.Continuation

        init(_ namespace: NetworkNamespace, _ options: MonitorOptions) {
            (stream, continuation) = InterfaceStreams.Stream.makeStream(
                bufferingPolicy: .bufferingNewest(1))
            let identity = StreamIdentity()
            do throws(ReachabilityError) {
                let hub = try MonitorHub.watchInterfaces(
                    of: namespace, options: options, continuation, as: identity)
                let detach: @Sendable () -> [Delivery] = {
                    hub.removeInterfaces(identity)
                    return []
                }
                // `Task.cancel()` calls this under the task's status lock; see SnapshotSource.
                continuation.onTermination = { _ in MonitorLoop.perform(detach) }
            } catch {
                continuation.yield(.failure(error))
                continuation.finish()
            }
        }

        deinit {
            continuation.finish()
        }
    }
}

extension NetworkInterface {
    /// The interfaces of the current network namespace whenever they change; see
    /// ``NetworkInterfaceUpdates``.
    public static var updates: NetworkInterfaceUpdates { updates(in: .current) }

    /// The interfaces of a network namespace whenever they change; see ``NetworkInterfaceUpdates``.
    ///
    /// - Parameter namespace: The network namespace.
    /// - Returns: A sequence that starts with each iteration, and throws if the namespace cannot be opened.
    public static func updates(in namespace: NetworkNamespace) -> NetworkInterfaceUpdates {
        NetworkInterfaceUpdates(namespace: namespace)
    }
}
