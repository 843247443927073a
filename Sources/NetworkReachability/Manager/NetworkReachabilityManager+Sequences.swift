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
        ReachabilityUpdates { self.feed(.snapshots($0), $0) }
    }

    /// The statuses of the target: the current one, then each one that differs from the previous one.
    ///
    ///     for try await status in manager.statuses {
    ///         print(status.isReachable ? "online" : "offline")
    ///     }
    ///
    /// Iterations behave like those over ``snapshots``.
    public var statuses: ReachabilityUpdates<NetworkReachabilityStatus, ReachabilityError> {
        ReachabilityUpdates(isRepetition: ==) { self.feed(.statuses($0), $0) }
    }

    private func feed<Element>(
        _ output: SequenceIteration.Output,
        _ continuation: ReachabilityUpdates<Element, ReachabilityError>.Stream.Continuation
    ) -> @Sendable () -> Void {
        let identity = SubscriberIdentity()
        do throws(ReachabilityError) {
            try attach(SequenceIteration(output: output, identity: identity))
        } catch {
            continuation.yield(.failure(error))
            continuation.finish()
            return {}
        }
        let detach: @Sendable () -> [Delivery] = { [weak self] in
            self?.detach(identity)
            return []
        }
        // `Task.cancel()` calls this under the task's status lock, so no object may be released here.
        continuation.onTermination = { [source] _ in source.perform(detach) }
        return { [self] in
            withExtendedLifetime(self) { continuation.finish() }
        }
    }
}
