// SPDX-License-Identifier: MIT

extension NetworkReachabilityManager {
    /// The snapshots of the target: the current one, then every change.
    ///
    ///     for try await snapshot in manager.snapshots {
    ///         print(snapshot.status, snapshot.interface?.name ?? "no interface")
    ///     }
    ///
    /// An iteration starts monitoring if need be; the end of the last one then stops it. It ends also after
    /// ``stopMonitoring()``, and throws if monitoring could not start or failed.
    public var snapshots: ReachabilityUpdates<ReachabilitySnapshot, ReachabilityError> {
        ReachabilityUpdates { self.feed(.snapshots($0), $0) }
    }

    /// The statuses of the target, each different from the one before, beginning with the current one.
    ///
    ///     for try await status in manager.statuses {
    ///         print(status.isReachable ? "online" : "offline")
    ///     }
    ///
    /// Iterations are as those over ``snapshots``.
    public var statuses: ReachabilityUpdates<NetworkReachabilityStatus, ReachabilityError> {
        ReachabilityUpdates(isRepetition: ==) { self.feed(.statuses($0), $0) }
    }

    private func feed<Element>(
        _ output: UpdateStream.Output,
        _ continuation: ReachabilityUpdates<Element, ReachabilityError>.Stream.Continuation
    ) -> @Sendable () -> Void {
        let identity = StreamIdentity()
        do throws(ReachabilityError) {
            try attach(UpdateStream(output: output, identity: identity))
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
