// SPDX-License-Identifier: MIT

public import Dispatch
public import NetworkReachability

/// A service on the D-Bus system bus: its current state, and every change.
///
///     for await state in CellularRadio.shared.states {
///         print(state.dataModem?.generation ?? "no cellular data")
///     }
///
/// There are two services: ``CellularRadio`` (ModemManager) and ``NetworkManager``; see <doc:Requirements>.
///
/// The first listener or iteration starts a thread that connects to the bus. Both services share it, and it ends
/// some seconds after the last listener. If libsystemd, the bus, or the service is missing, the state says so, and
/// the library tries again. Monitors of `NetworkReachability` use neither service unless you call its
/// `informReachability` method.
///
/// Any thread may use a service. A child of fork() has no threads of libdispatch, so only
/// ``currentState(timeout:)`` and `informReachability` work there. It never calls the parent's listeners.
public final class SystemService<State: SystemServiceState>: Sendable {
    let bus: SharedBusLoop
    let channel: BusLoop.Channel<State>

    init(_ bus: SharedBusLoop, _ channel: BusLoop.Channel<State>) {
        self.bus = bus
        self.channel = channel
    }

    /// The current state once it is known, and every change.
    ///
    /// Each value is the whole state. An iteration ends when its task is cancelled.
    public var states: ReachabilityUpdates<State, Never> {
        ReachabilityUpdates { continuation in
            let listener = self.follow { continuation.yield(.success($0)) }
            return {
                listener.cancel()
                continuation.finish()
            }
        }
    }

    /// Returns the current state; ``SystemServiceAvailability/starting`` if the service hasn't answered yet.
    ///
    /// Without listeners, the first call asks the service, and its answer takes some milliseconds. With a timeout
    /// the call blocks until the answer arrives. If the service stays silent, later calls return at once until it
    /// answers.
    ///
    /// - Parameter timeout: The longest time to wait, counted from the first call without an answer.
    /// - Returns: The state.
    public func currentState(timeout: Duration = .zero) -> State {
        let loop = bus.loop
        if let latest = loop.latest(of: channel) { return latest }
        let (first, isSet) = (Lock<State?>(nil), DispatchSemaphore(value: 0))
        let id = loop.subscribe(to: channel) { new in
            first.withLock { $0 = new }
            isSet.signal()
        }
        defer { loop.unsubscribe(id, from: channel) }
        let patience = loop.patience(for: channel, of: timeout)
        _ = isSet.wait(timeout: .now() + patience.dispatchInterval)
        return first.withLock { $0 } ?? State(availability: .starting)
    }

    /// Adds a listener on the main actor; see ``addListener(queue:stable:_:)``.
    ///
    /// - Parameters:
    ///   - time: How long a change must last.
    ///   - handler: The closure to call, on the main queue, which the main actor runs on.
    /// - Returns: A handle that cancels the listener.
    @discardableResult
    public func addListener(
        stable time: Duration = .zero,
        _ handler: @escaping @MainActor (State) -> Void
    ) -> ReachabilityListener {
        addListener(queue: .main, stable: time, fromMainQueue(handler))
    }

    /// Adds a listener, which receives the current state once it is known, and every change.
    ///
    /// While the queue is busy, changes are merged: the next call receives the newest state. The listener stays
    /// until you cancel it, even if you release its handle.
    ///
    /// - Parameters:
    ///   - queue: The queue that runs the handler.
    ///   - time: How long a change must last before it is reported, not counting suspension of the host. The first
    ///     state is reported at once. With zero or less, every change is reported at once.
    ///   - handler: The closure to call.
    /// - Returns: A handle that cancels the listener.
    @discardableResult
    public func addListener(
        queue: DispatchQueue, stable time: Duration = .zero,
        _ handler: @escaping @Sendable (State) -> Void
    ) -> ReachabilityListener {
        let call = NewestCall(queue: queue, handler: handler)
        let loop = bus.loop
        let listener = follow(call.submit(stable: time))
        return ReachabilityListener {
            // In a child of fork(), a thread of the parent may hold the lock forever.
            guard loop.isOfThisProcess else { return }
            call.cancel()
            listener.cancel()
        }
    }

    /// Calls `call` with the current state once it is known, and with every change.
    ///
    /// The calls run on the bus thread, with no lock held. One may still be running when the handle is cancelled.
    package func follow(_ call: @escaping @Sendable (State) -> Void) -> ReachabilityListener {
        let (loop, channel) = (bus.loop, channel)
        let id = loop.subscribe(to: channel, call)
        return ReachabilityListener {
            // In a child of fork(), a thread of the parent may hold the lock forever.
            guard loop.isOfThisProcess else { return }
            loop.unsubscribe(id, from: channel)
        }
    }

    #if canImport(CSystemBus)
    /// Feeds the monitors with `facts` of the latest state, until the handle is cancelled.
    func feed(
        _ service: InterfaceFeeds.Service, _ facts: @escaping @Sendable (State) -> [InterfaceFacts]
    ) -> ReachabilityListener {
        let feeds = InterfaceFeeds.current
        let (loop, channel) = (bus.loop, channel)
        let id = feeds.add(service) { loop.latest(of: channel).map(facts) ?? [] }
        let listener = follow { _ in feeds.apply() }
        return ReachabilityListener {
            guard loop.isOfThisProcess else { return }
            listener.cancel()
            feeds.remove(id)
        }
    }
    #endif
}
