// SPDX-License-Identifier: MIT

/// The states of the radio: the current one once it is known, and every change.
///
///     for await state in CellularRadio.shared.states {
///         guard let modem = state.dataModem else { continue }
///         print(modem.operatorName ?? "unknown operator", modem.generation ?? "")
///     }
///
/// Each value is the whole state. Only the newest is buffered: a slow consumer may miss values in between,
/// never the latest. An iteration ends when its task is cancelled. That libsystemd, the bus or ModemManager
/// is missing is a value too, and no end: the connection is tried again.
public struct CellularRadioStates: AsyncSequence, Sendable {
    /// A state.
    public typealias Element = CellularRadioState

    /// The sequence does not throw.
    public typealias Failure = Never

    private let radio: CellularRadio

    init(radio: CellularRadio) {
        self.radio = radio
    }

    /// Starts a new iteration.
    public func makeAsyncIterator() -> Iterator {
        let (stream, continuation) = AsyncStream<CellularRadioState>.makeStream(
            bufferingPolicy: .bufferingNewest(1))
        return Iterator(
            source: Source(loop: radio.loop, continuation),
            iterator: stream.makeAsyncIterator())
    }

    /// One iteration.
    public struct Iterator: AsyncIteratorProtocol {
        // `for await` releases the sequence once it has the iterator, so the iterator holds the source.
        fileprivate let source: Source
        fileprivate var iterator: AsyncStream<CellularRadioState>.AsyncIterator

        /// Waits for the next value; nil at the end.
        public mutating func next(
            isolation actor: isolated (any Actor)? = #isolation
        ) async -> CellularRadioState? {
            await iterator.next(isolation: actor)
        }
    }

    /// The subscription of an iteration, which ends with it.
    fileprivate final class Source: Sendable {
        private let loop: RadioLoop
        private let identity = RadioLoop.Identity()
        private let continuation: AsyncStream<CellularRadioState>.Continuation

        init(loop: RadioLoop, _ continuation: AsyncStream<CellularRadioState>.Continuation) {
            self.loop = loop
            self.continuation = continuation
            loop.subscribe(identity) { continuation.yield($0) }
        }

        // Not in `onTermination`, which Task.cancel() calls under the task's status lock.
        deinit {
            // In a child of fork() a thread of the parent may hold the locks of both for ever.
            guard loop.isOfThisProcess else { return }
            loop.unsubscribe(identity)
            continuation.finish()
        }
    }
}
