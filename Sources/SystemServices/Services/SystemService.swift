// SPDX-License-Identifier: MIT

public import Dispatch
public import NetworkReachability

/// A service on the D-Bus system bus: what it tells now, and every change.
///
///     for await state in CellularRadio.shared.states {
///         print(state.dataModem?.generation ?? "no cellular data")
///     }
///
/// There are two, ``CellularRadio`` (ModemManager) and ``NetworkManager``; see <doc:Requirements>. One thread
/// connects to the bus with the first listener or iteration of either, and ends some seconds after the last.
/// That libsystemd, the bus, or the service is missing is a state too, and it is tried again. Monitors of
/// `NetworkReachability` depend on neither, unless they are informed: both services have an
/// `informReachability` for that.
///
/// Can be used from any thread. In a child of fork(), where libdispatch has no threads, only
/// ``currentState(timeout:)`` and `informReachability` work; the listeners of the parent are not called there.
public final class SystemService<State: SystemServiceState>: Sendable {
    let bus: SharedBusLoop
    let channel: BusLoop.Channel<State>

    init(_ bus: SharedBusLoop, _ channel: BusLoop.Channel<State>) {
        self.bus = bus
        self.channel = channel
    }

    /// The state once it is known, and every change.
    ///
    /// Each value is the whole state. An iteration ends when its task is cancelled.
    public var states: ReachabilityUpdates<State, Never> {
        ReachabilityUpdates { [bus, channel] continuation in
            let end = bus.loop.follow(channel) { continuation.yield(.success($0)) }
            return {
                end()
                continuation.finish()
            }
        }
    }

    /// The current state; ``SystemServiceAvailability/starting`` if the service has not answered yet.
    ///
    /// The first call after a time without listeners asks the service, whose answer takes some milliseconds.
    /// It blocks until then if there is a timeout. While the service is silent only the first call waits:
    /// later ones return at once, until it answers.
    ///
    /// - Parameter timeout: The longest time to wait, counted from the first call without an answer.
    /// - Returns: The state.
    public func currentState(timeout: Duration = .zero) -> State {
        bus.loop.current(of: channel, timeout: timeout) ?? State(availability: .starting)
    }

    /// Adds a listener, which is called with the state once it is known, and with every change.
    ///
    /// While the queue is busy changes are reported as one: the call that waits gets the newest state. The
    /// listener stays until it is cancelled, whether its handle is kept or not.
    ///
    /// - Parameters:
    ///   - queue: The queue it is called on.
    ///   - time: How long a change has to last to be reported, without the time that the host is suspended; the
    ///     first state is reported at once. Zero or less for no time.
    ///   - handler: The listener.
    /// - Returns: A handle that cancels it.
    @discardableResult
    public func addListener(
        queue: DispatchQueue = .main, stable time: Duration = .zero,
        _ handler: @escaping @Sendable (State) -> Void
    ) -> ReachabilityListener {
        ReachabilityListener(bus.loop.listen(to: channel, on: queue, stable: time, handler))
    }

    /// Calls `call` on the thread of the bus, with no lock held, with the state once it is known and with every
    /// change, until the handle is cancelled; one call may still be running then.
    package func follow(_ call: @escaping @Sendable (State) -> Void) -> ReachabilityListener {
        ReachabilityListener(bus.loop.follow(channel, call))
    }
}
