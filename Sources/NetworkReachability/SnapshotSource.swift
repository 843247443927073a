// SPDX-License-Identifier: MIT

/// What feeds one iteration over ``NetworkReachabilitySnapshots``, as long as the iterator holds it.
final class SnapshotSource: Sendable {
    typealias Stream = AsyncStream<Result<ReachabilitySnapshot, ReachabilityError>>

    let stream: Stream
    private let manager: NetworkReachabilityManager
    private let continuation: Stream.Continuation

    init(manager: NetworkReachabilityManager) {
        self.manager = manager
        (stream, continuation) = Stream.makeStream(bufferingPolicy: .bufferingNewest(1))
        let identity = ObjectIdentifier(self)
        continuation.onTermination = { [weak manager] _ in manager?.detach(identity) }
        do throws(ReachabilityError) {
            try manager.attach(continuation, as: identity)
        } catch {
            continuation.yield(.failure(error))
            continuation.finish()
        }
    }

    deinit {
        continuation.finish()
    }
}
