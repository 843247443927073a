// SPDX-License-Identifier: MIT

extension ReachabilityUpdates where Failure == ReachabilityError {
    /// A sequence that a hub feeds: after `watch`, the hub calls the sink until the returned closure is called.
    init(
        isRepetition: Repetition? = nil,
        _ watch:
            @escaping @Sendable (
                _ sink: @escaping HostSubscribers.Sink<Element>
            ) throws(ReachabilityError) -> @Sendable () -> Void
    ) {
        self.init(isRepetition: isRepetition) { continuation in
            do throws(ReachabilityError) {
                let end = try watch(continuation.receive)
                // `Task.cancel()` calls this under the task's status lock, so no object may be released here.
                continuation.onTermination = { _ in
                    MonitorLoop.perform {
                        end()
                        return []
                    }
                }
            } catch {
                continuation.receive(.failure(error))
            }
            return { continuation.finish() }
        }
    }
}

extension AsyncStream.Continuation {
    /// Yields a value, or ends the iteration with an error.
    func receive<Value: Sendable, Failure>(_ result: Result<Value, Failure>)
    where Element == Result<Value, Failure> {
        yield(result)
        if case .failure = result { finish() }
    }
}
