// SPDX-License-Identifier: MIT

extension ReachabilityUpdates where Element: Equatable {
    /// The stable values: the current one at once, then each one that has held for some time.
    ///
    ///     for try await status in manager.statuses.stable(for: .seconds(2)) {
    ///         print(status.isReachable ? "online" : "offline")
    ///     }
    ///
    /// A value that changes earlier is skipped, and so is one equal to the previous value. In all other respects, the
    /// sequence behaves like this one.
    ///
    /// - Parameter time: How long a value must last, not counting suspended time; with zero or less, none is delayed.
    /// - Returns: A sequence that runs a task for each iteration.
    public func stable(for time: Duration) -> ReachabilityUpdates {
        guard time > .zero else { return self }
        return ReachabilityUpdates { continuation in
            let stabilizer = Stabilizer<Element>(for: time, isRepetition: ==) {
                continuation.yield(.success($0))
            }
            let task = Task.detached {
                var iterator = self.makeAsyncIterator()
                do throws(Failure) {
                    while let new = try await iterator.next() { stabilizer.take(new) }
                } catch {
                    continuation.yield(.failure(error))
                }
                continuation.finish()
            }
            return { task.cancel() }
        }
    }
}
