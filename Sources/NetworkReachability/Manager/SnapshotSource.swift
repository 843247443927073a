// SPDX-License-Identifier: MIT

/// What feeds one iteration over ``NetworkReachabilitySnapshots``, as long as the iterator holds it.
final class SnapshotSource: Sendable {
    typealias Stream = AsyncStream<Result<ReachabilitySnapshot, ReachabilityError>>

    /// Names a source; an address of its own that no later source gets while anybody knows this one.
    final class Identity: Sendable {}

    let stream: Stream
    private let manager: NetworkReachabilityManager
    private let continuation: Stream.Continuation

    init(manager: NetworkReachabilityManager) {
        self.manager = manager
        (stream, continuation) = Stream.makeStream(bufferingPolicy: .bufferingNewest(1))
        let identity = Identity()
        do throws(ReachabilityError) {
            try manager.attach(continuation, as: identity)
        } catch {
            continuation.yield(.failure(error))
            continuation.finish()
            return
        }
        let detach: @Sendable () -> [Delivery] = { [weak manager] in
            manager?.detach(identity)
            return []
        }
        // `Task.cancel()` calls this under the task's status lock, so nothing may be let go of here.
        continuation.onTermination = { _ in MonitorLoop.perform(detach) }
    }

    deinit {
        continuation.finish()
    }
}
