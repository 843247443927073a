// SPDX-License-Identifier: MIT

/// The stream of one iteration over ``NetworkReachabilitySnapshots``; owned by the iterator.
final class SnapshotSource: Sendable {
    typealias Stream = AsyncStream<Result<ReachabilitySnapshot, ReachabilityError>>

    let stream: Stream
    private let manager: NetworkReachabilityManager
    private let continuation: Stream.Continuation

    init(manager: NetworkReachabilityManager) {
        self.manager = manager
        (stream, continuation) = Stream.makeStream(bufferingPolicy: .bufferingNewest(1))
        let identity = StreamIdentity()
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
        // `Task.cancel()` calls this under the task's status lock, so no object may be released here.
        continuation.onTermination = { [source = manager.source] _ in source.perform(detach) }
    }

    deinit {
        continuation.finish()
    }
}
