// SPDX-License-Identifier: MIT

extension ReachabilityUpdates where Element: Equatable, Failure == ReachabilityError {
    /// A sequence that a hub feeds: after `watch`, the hub calls the sink until the returned closure is called.
    init(
        _ watch:
            @escaping @Sendable (
                _ sink: Subscribers<Element>.Sink
            ) throws(ReachabilityError) -> @Sendable () -> Void
    ) {
        self.init { continuation in
            let sink = Subscribers<Element>.Sink(call: { result in
                continuation.yield(result)
                if case .failure = result { continuation.finish() }
            })
            do throws(ReachabilityError) {
                let end = try watch(sink)
                // `Task.cancel()` calls this under the task's status lock, so no object may be released here.
                continuation.onTermination = { _ in
                    MonitorLoop.perform {
                        end()
                        return []
                    }
                }
            } catch {
                sink.call(.failure(error))
            }
            return { continuation.finish() }
        }
    }
}
