// SPDX-License-Identifier: MIT

public import Dispatch
internal import NetworkReachability
internal import Synchronization

/// The cellular radio of the machine: which technology and generation, which operator, how good the signal
/// is.
///
///     for await state in CellularRadio.shared.states {
///         print(state.dataModem?.generation ?? "no cellular data")
///     }
///
/// The source is ModemManager, over the D-Bus system bus; see <doc:Requirements>. A thread connects to it
/// with the first listener or iteration and ends some seconds after the last. Monitors of
/// `NetworkReachability` do not depend on it, except after
/// ``updateReachability(connectsOnTraffic:)``.
///
/// Can be used from any thread. In a child of fork(), where libdispatch has no threads, only
/// ``currentState(within:)`` and ``updateReachability(connectsOnTraffic:)`` work; the listeners of the
/// parent are not called there.
@safe
public final class CellularRadio: Sendable {
    /// The radio of the machine that the system bus belongs to.
    public static let shared = CellularRadio(options: CellularRadioOptions())

    private let options: CellularRadioOptions
    /// Of this process: a child of fork() has no thread of its parent, and must not use its connection.
    private let current = unsafe Atomic<Unmanaged<RadioLoop>?>(nil)

    package init(options: CellularRadioOptions) {
        self.options = options
    }

    deinit {
        let loop = unsafe current.load(ordering: .acquiring)
        unsafe loop?.release()
    }

    var loop: RadioLoop {
        let known = unsafe current.load(ordering: .acquiring)
        if let loop = unsafe known?.takeUnretainedValue(), loop.isOfThisProcess { return loop }
        let new = unsafe Unmanaged.passRetained(RadioLoop(options))
        // The loop of the parent is never freed: its lock may be held for ever.
        let (isFirst, _) = unsafe current.compareExchange(
            expected: known, desired: new, ordering: .acquiringAndReleasing)
        if !isFirst { unsafe new.release() }
        return self.loop
    }

    /// The state now and at every change; see ``CellularRadioStates``.
    public var states: CellularRadioStates {
        CellularRadioStates(radio: self)
    }

    /// The current state.
    ///
    /// Blocks until the first answer after a time without listeners, which takes some milliseconds; after
    /// `seconds` without an answer the state is ``CellularRadioState/Availability/starting``.
    ///
    /// - Parameter seconds: The longest time to wait.
    /// - Returns: The state.
    public func currentState(within seconds: Double = 1) -> CellularRadioState {
        let loop = loop
        if let latest = loop.latest { return latest }
        let answer = FirstState()
        let identity = RadioLoop.Identity()
        loop.subscribe(identity) { answer.set($0) }
        defer { loop.unsubscribe(identity) }
        return answer.wait(seconds) ?? .starting
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
        let receiver = RadioReceiver(queue: queue, handler: handler)
        let identity = RadioLoop.Identity()
        let loop = loop
        loop.subscribe(identity) { receiver.receive($0) }
        return CellularRadioListener {
            // Both have locks, which in a child of fork() a thread of the parent may hold for ever.
            guard loop.isOfThisProcess else { return }
            receiver.cancel()
            loop.unsubscribe(identity)
        }
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

/// A closure of the application with its queue, and the newest state that it is to be called with.
private final class RadioReceiver: Sendable {
    private struct State: Sendable {
        var handler: (@Sendable (CellularRadioState) -> Void)?
        /// Nil if no call is submitted.
        var pending: CellularRadioState?
    }

    private let queue: DispatchQueue
    private let state: Lock<State>

    init(queue: DispatchQueue, handler: @escaping @Sendable (CellularRadioState) -> Void) {
        self.queue = queue
        state = Lock(State(handler: handler))
    }

    func receive(_ new: CellularRadioState) {
        let isFirst = state.withLock { state in
            defer { state.pending = new }
            return state.pending == nil
        }
        guard isFirst else { return }
        queue.async { self.call() }
    }

    private func call() {
        let (handler, new) = state.withLock { state in (state.handler, state.pending.take()) }
        if let new { handler?(new) }
    }

    func cancel() {
        let handler = state.withLock { $0.handler.take() }
        withExtendedLifetime(handler) {}
    }
}

/// A state that another thread waits for.
private final class FirstState: Sendable {
    private let state = Lock<CellularRadioState?>(nil)
    private let isSet = DispatchSemaphore(value: 0)

    func set(_ new: CellularRadioState) {
        state.withLock { $0 = new }
        isSet.signal()
    }

    func wait(_ seconds: Double) -> CellularRadioState? {
        _ = isSet.wait(timeout: .now() + max(0, seconds))
        return state.withLock { $0 }
    }
}
