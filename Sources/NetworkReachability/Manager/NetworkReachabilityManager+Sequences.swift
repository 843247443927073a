// SPDX-License-Identifier: MIT

extension NetworkReachabilityManager {
    /// The snapshots of the target: the current one, then every change.
    ///
    ///     for try await snapshot in manager.snapshots {
    ///         print(snapshot.status, snapshot.interface?.name ?? "no interface")
    ///     }
    ///
    /// An iteration starts monitoring if needed. Unless you also called ``startMonitoring()``, monitoring stops
    /// when the last iteration ends. ``stopMonitoring()`` ends all iterations. An iteration throws if monitoring
    /// can't start, or fails.
    public var snapshots: ReachabilityUpdates<ReachabilitySnapshot, ReachabilityError> {
        ReachabilityUpdates { self.feed($0) { $0 } }
    }

    /// The statuses of the target: the current one, then each one that differs from the previous one.
    ///
    ///     for try await status in manager.statuses {
    ///         print(status.isReachable ? "online" : "offline")
    ///     }
    ///
    /// Iterations behave like those over ``snapshots``.
    public var statuses: ReachabilityUpdates<NetworkReachabilityStatus, ReachabilityError> {
        ReachabilityUpdates(isRepetition: ==) { self.feed($0, \.status) }
    }

    private func feed<Element>(
        _ continuation: ReachabilityUpdates<Element, ReachabilityError>.Stream.Continuation,
        _ element: @escaping @Sendable (ReachabilitySnapshot) -> Element
    ) -> @Sendable () -> Void {
        let iteration = SequenceIteration { result in
            guard let result else { return continuation.finish() }
            continuation.receive(result.map(element))
        }
        let id: SubscriberID
        do throws(ReachabilityError) { id = try attach(iteration) } catch {
            continuation.receive(.failure(error))
            return {}
        }
        let detach: @Sendable () -> [Delivery] = { [weak self] in
            self?.detach(id)
            return []
        }
        // `Task.cancel()` calls this under the task's status lock, so no object may be released here.
        continuation.onTermination = { [source] _ in source.perform(detach) }
        return { [self] in
            withExtendedLifetime(self) { continuation.finish() }
        }
    }
}
