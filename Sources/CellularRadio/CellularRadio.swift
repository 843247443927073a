// SPDX-License-Identifier: MIT

public import Dispatch
package import SystemBus

/// The cellular radio of the machine: which technology and generation, which operator, how good the signal
/// is.
///
///     for await state in CellularRadio.shared.states {
///         print(state.dataModem?.generation ?? "no cellular data")
///     }
///
/// The source is ModemManager, over the D-Bus system bus; see <doc:Requirements>. A thread connects to it
/// with the first listener or iteration and ends some seconds after the last; `NetworkManager` of
/// `ReachabilityConnectivity` shares it. Monitors of `NetworkReachability` do not depend on it, except
/// after ``updateReachability(connectsOnTraffic:)``.
///
/// Can be used from any thread. In a child of fork(), where libdispatch has no threads, only
/// ``currentState(within:)`` and ``updateReachability(connectsOnTraffic:)`` work; the listeners of the
/// parent are not called there.
public final class CellularRadio: Sendable {
    /// The radio of the machine that the system bus belongs to.
    public static let shared = CellularRadio(bus: .shared)

    let bus: BusConnection

    package init(bus: BusConnection) {
        self.bus = bus
    }

    /// The state now and at every change; see ``CellularRadioStates``.
    public var states: CellularRadioStates {
        CellularRadioStates(bus: bus)
    }

    /// The current state.
    ///
    /// Blocks until the first answer after a time without listeners, which takes some milliseconds. After
    /// `seconds` without an answer the state is ``CellularRadioState/Availability/starting``. While
    /// ModemManager is silent only the first call waits: later ones return at once, until it answers.
    ///
    /// - Parameter seconds: The longest time to wait, counted from the first call without an answer.
    /// - Returns: The state.
    public func currentState(within seconds: Double = 1) -> CellularRadioState {
        bus.loop.current(within: seconds).map(CellularRadioState.init) ?? .starting
    }

    /// Adds a listener, which is called with the current state once it is known, and with every change.
    ///
    /// While the queue is busy changes are reported as one: the call that waits gets the newest state. The
    /// listener stays until it is cancelled, whether its handle is kept or not.
    ///
    /// - Parameters:
    ///   - queue: The queue it is called on.
    ///   - handler: The listener.
    /// - Returns: A handle that cancels it.
    @discardableResult
    public func addListener(
        queue: DispatchQueue = .main, _ handler: @escaping @Sendable (CellularRadioState) -> Void
    ) -> CellularRadioListener {
        CellularRadioListener(
            bus.loop.listen(on: queue) { handler(CellularRadioState($0)) })
    }
}

/// A handle of a listener, which ``cancel()`` removes.
///
///     let listener = CellularRadio.shared.addListener { state in
///         print(state.modems.map(\.state))
///     }
///     // When it is no longer wanted:
///     listener.cancel()
///
/// Releasing the handle does not remove the listener.
public final class CellularRadioListener: Sendable {
    private let remove: @Sendable () -> Void

    init(_ remove: @escaping @Sendable () -> Void) {
        self.remove = remove
    }

    /// Removes the listener and releases its closure.
    ///
    /// Called on the queue of the listener, no call follows; called elsewhere, one call may still be
    /// running or about to run. Can be called from any thread and more than once.
    public func cancel() {
        remove()
    }
}
