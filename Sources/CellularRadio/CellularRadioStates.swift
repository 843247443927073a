// SPDX-License-Identifier: MIT

internal import SystemBus

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

    private let bus: BusConnection

    init(bus: BusConnection) {
        self.bus = bus
    }

    /// Starts a new iteration.
    public func makeAsyncIterator() -> Iterator {
        Iterator(BusIteration(bus.loop))
    }

    /// One iteration.
    public struct Iterator: AsyncIteratorProtocol {
        // `for await` releases the sequence once it has the iterator, so the iterator holds the source.
        private let source: BusIteration<ModemManagerReport>
        private var iterator: AsyncStream<ModemManagerReport>.AsyncIterator

        fileprivate init(_ source: BusIteration<ModemManagerReport>) {
            self.source = source
            iterator = source.stream.makeAsyncIterator()
        }

        /// Waits for the next value; nil at the end.
        public mutating func next(
            isolation actor: isolated (any Actor)? = #isolation
        ) async -> CellularRadioState? {
            await iterator.next(isolation: actor).map(CellularRadioState.init)
        }
    }
}
