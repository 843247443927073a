// SPDX-License-Identifier: MIT

/// One iteration over a sequence of a manager.
struct SequenceIteration: Sendable {
    /// Where its values go.
    enum Output: Sendable {
        case snapshots(
            ReachabilityUpdates<ReachabilitySnapshot, ReachabilityError>.Stream.Continuation)
        case statuses(
            ReachabilityUpdates<NetworkReachabilityStatus, ReachabilityError>.Stream.Continuation)
    }

    let output: Output
    let identity: SubscriberIdentity
    /// Whether the iteration has received the current value.
    var hasCurrent = false

    init(output: Output, identity: SubscriberIdentity) {
        self.output = output
        self.identity = identity
    }

    func yield(_ snapshot: ReachabilitySnapshot) {
        switch output {
        case .snapshots(let continuation): continuation.yield(.success(snapshot))
        case .statuses(let continuation): continuation.yield(.success(snapshot.status))
        }
    }

    /// Ends the iteration, with `error` unless that is nil.
    func finish(throwing error: ReachabilityError? = nil) {
        switch output {
        case .snapshots(let continuation): finish(continuation, error)
        case .statuses(let continuation): finish(continuation, error)
        }
    }

    private func finish<Element>(
        _ continuation: AsyncStream<Result<Element, ReachabilityError>>.Continuation,
        _ error: ReachabilityError?
    ) {
        if let error { continuation.yield(.failure(error)) }
        continuation.finish()
    }
}
