// SPDX-License-Identifier: MIT

/// Values as they come: the current one, then every change.
///
///     for try await snapshot in manager.snapshots {
///         print(snapshot)
///     }
///
/// Each iteration buffers the newest value only: a slow consumer may miss values in between, but never the latest.
/// An iteration ends when its task is cancelled, and keeps its manager or monitor alive until then. The property or
/// function that returns the sequence documents what else ends it, and what it throws.
///
/// A loop at the top level of `main.swift` never releases its iterator, even after `break`: put it into a
/// function or a task.
public struct ReachabilityUpdates<Element: Sendable, Failure: Error>: AsyncSequence, Sendable {
    @usableFromInline package typealias Stream = AsyncStream<Result<Element, Failure>>

    /// Starts to feed an iteration; the returned closure is called once the iterator is released.
    package typealias Feed =
        @Sendable (_ continuation: Stream.Continuation) -> @Sendable () -> Void

    /// Returns whether the second of two values repeats the first.
    @usableFromInline
    package typealias Repetition = @Sendable (_ last: Element, _ new: Element) -> Bool

    private let feed: Feed
    /// Nil if every value is delivered.
    private let isRepetition: Repetition?

    package init(isRepetition: Repetition? = nil, _ feed: @escaping Feed) {
        self.isRepetition = isRepetition
        self.feed = feed
    }

    /// Starts a new iteration.
    public func makeAsyncIterator() -> Iterator {
        let (stream, continuation) = Stream.makeStream(bufferingPolicy: .bufferingNewest(1))
        return Iterator(
            source: Source(feed(continuation)), iterator: stream.makeAsyncIterator(),
            isRepetition: isRepetition)
    }

    /// One iteration.
    public struct Iterator: AsyncIteratorProtocol {
        // `for await` releases the sequence once it has the iterator, so the iterator holds the source.
        fileprivate let source: Source
        @usableFromInline var iterator: Stream.AsyncIterator
        @usableFromInline let isRepetition: Repetition?
        @usableFromInline var last: Element?

        fileprivate init(
            source: Source, iterator: Stream.AsyncIterator, isRepetition: Repetition?
        ) {
            self.source = source
            self.iterator = iterator
            self.isRepetition = isRepetition
        }

        /// Waits for the next value; nil at the end.
        @inlinable
        public mutating func next(
            isolation actor: isolated (any Actor)? = #isolation
        ) async throws(Failure) -> Element? {
            while let new = try await iterator.next(isolation: actor)?.get() {
                guard let isRepetition else { return new }
                if let last, isRepetition(last, new) { continue }
                last = new
                return new
            }
            return nil
        }
    }

    /// Feeds one iteration, which ends when this object is released.
    fileprivate final class Source: Sendable {
        private let end: @Sendable () -> Void

        init(_ end: @escaping @Sendable () -> Void) {
            self.end = end
        }

        deinit {
            end()
        }
    }
}

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
