// SPDX-License-Identifier: MIT

public import Dispatch
package import SystemBus

/// NetworkManager's view of the machine's network: which interfaces are metered, and how far each of them
/// gets.
///
///     for await state in NetworkManager.shared.states {
///         guard let wifi = state.device(forInterface: "wlan0") else { continue }
///         print(wifi.metered, wifi.ipv4Connectivity)
///     }
///
/// The source is the daemon, over the D-Bus system bus. A thread
/// connects to it with the first listener or iteration and ends some seconds after the last; `CellularRadio`
/// shares it. Monitors of `NetworkReachability` do not depend on it, except after ``updateReachability()``.
///
/// Can be used from any thread. In a child of fork(), where libdispatch has no threads, only
/// ``currentState(within:)`` and ``updateReachability()`` work; the listeners of the parent are not called
/// there.
public final class NetworkManager: Sendable {
    /// The NetworkManager of the machine that the system bus belongs to.
    public static let shared = NetworkManager(bus: .shared)

    private let bus: BusConnection

    package init(bus: BusConnection) {
        self.bus = bus
    }

    /// The state now and at every change; see ``NetworkManagerStates``.
    public var states: NetworkManagerStates {
        NetworkManagerStates(bus: bus)
    }

    /// The current state.
    ///
    /// Blocks until the first answer after a time without listeners, which takes some milliseconds; after
    /// `seconds` without an answer the state is ``NetworkManagerState/Availability/starting``.
    ///
    /// - Parameter seconds: The longest time to wait.
    /// - Returns: The state.
    public func currentState(within seconds: Double = 1) -> NetworkManagerState {
        bus.loop.current(within: seconds).map(NetworkManagerState.init) ?? .starting
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
        queue: DispatchQueue = .main, _ handler: @escaping @Sendable (NetworkManagerState) -> Void
    ) -> NetworkManagerListener {
        NetworkManagerListener(
            bus.loop.listen(on: queue) { handler(NetworkManagerState($0)) })
    }

    /// Lets `isMetered` and `isExpensive` of snapshots follow NetworkManager, until the handle is cancelled.
    ///
    ///     NetworkManager.shared.updateReachability()
    ///     manager.addListener { print($0.isExpensive ? "metered" : "free") }
    ///
    /// `isMetered` of a snapshot is true if the device of its interface is metered
    /// (``NetworkManagerMetered/yes``, ``NetworkManagerMetered/guessYes``), and false if its connection is
    /// configured as not metered (``NetworkManagerMetered/no``). An interface of the class `vpn` that has
    /// neither follows ``NetworkManagerState/metered``, the value of the default route. In all other cases,
    /// without this call, and while NetworkManager does not answer, `isMetered` is nil, and `isExpensive`
    /// follows from the class of the interface.
    ///
    /// It affects all monitors of the process in its own network namespace; NetworkManager must run in the
    /// same one. Call it once; of several handles the one that received a state last counts.
    ///
    /// - Returns: A handle that ends it.
    @discardableResult
    public func updateReachability() -> NetworkManagerListener {
        let loop = bus.loop
        return NetworkManagerListener(
            loop.feed(loop.meteredFeeds) { NetworkManagerState($0).meteredInterfaces })
    }

    /// Calls `call` on the thread of the bus, with no lock held, with the current state once it is known and
    /// with every change, until the handle is cancelled; one call may still be running then.
    package func subscribe(
        _ call: @escaping @Sendable (NetworkManagerState) -> Void
    ) -> NetworkManagerListener {
        let loop = bus.loop
        let identity = BusLoop.Identity()
        loop.subscribe(identity) { (report: NetworkManagerReport) in
            call(NetworkManagerState(report))
        }
        return NetworkManagerListener {
            guard loop.isOfThisProcess else { return }
            loop.unsubscribe(identity, from: NetworkManagerReport.self)
        }
    }
}

/// A handle of a listener, which ``cancel()`` removes.
///
///     let listener = NetworkManager.shared.addListener { state in
///         print(state.connectivity)
///     }
///     // When it is no longer wanted:
///     listener.cancel()
///
/// Releasing the handle does not remove the listener.
public final class NetworkManagerListener: Sendable {
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
