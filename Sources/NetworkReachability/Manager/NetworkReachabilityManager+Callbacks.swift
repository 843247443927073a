// SPDX-License-Identifier: MIT

public import Dispatch

extension NetworkReachabilityManager {
    /// Sets the block that is called with the status on the main actor, and replaces the one before.
    ///
    /// While the target is monitored the block is called with the current status first, then with each
    /// different one.
    ///
    /// - Parameter block: Called in order on the main queue, which the main actor runs on; nil for no block.
    public func setReachabilityStatusChangeBlock(
        _ block: (@MainActor (_ status: NetworkReachabilityStatus) -> Void)?
    ) {
        setReachabilityStatusChangeBlock(queue: .main, block.map(fromMainQueue))
    }

    /// Sets the block that is called with the status on a queue, and replaces the one before.
    ///
    /// While the target is monitored the block is called with the current status first, then with each
    /// different one.
    ///
    /// - Parameters:
    ///   - queue: The queue on which `block` is called; calls stay in order on a serial queue only.
    ///   - block: Gets the status; nil for no block.
    public func setReachabilityStatusChangeBlock(
        queue: DispatchQueue,
        _ block: (@Sendable (_ status: NetworkReachabilityStatus) -> Void)?
    ) {
        let callback = block.map { block in
            Callback(queue: queue, part: .status) { block($0.status) }
        }
        let replaced = state.withLock { $0.setBlock(callback) }
        replaced?.cancel()
        if callback != nil { catchUp() }
    }

    /// Adds a listener on the main actor of all changes; see ``addListener(queue:stable:_:)``.
    ///
    /// - Parameters:
    ///   - time: How long a change has to last.
    ///   - listener: Gets the snapshot, in order, on the main queue, which the main actor runs on.
    /// - Returns: A handle to remove the listener; the listener stays if it is released.
    @discardableResult
    public func addListener(
        stable time: Duration = .zero,
        _ listener: @escaping @MainActor (_ snapshot: ReachabilitySnapshot) -> Void
    ) -> ReachabilityListener {
        addListener(queue: .main, stable: time, fromMainQueue(listener))
    }

    /// Adds a listener of all changes, also of those that leave the status as it is: another interface,
    /// another gateway, new addresses of a name.
    ///
    /// While the target is monitored the listener is called with the current value first.
    ///
    /// - Parameters:
    ///   - queue: The queue on which `listener` is called; calls stay in order on a serial queue only.
    ///   - time: How long a change has to last, without the time that the host is suspended: one that is undone
    ///     earlier is not reported. The current value is reported at once.
    ///   - listener: Gets the snapshot.
    /// - Returns: A handle to remove the listener; the listener stays if it is released.
    @discardableResult
    public func addListener(
        queue: DispatchQueue, stable time: Duration = .zero,
        _ listener: @escaping @Sendable (_ snapshot: ReachabilitySnapshot) -> Void
    ) -> ReachabilityListener {
        addListener(queue: queue, of: .everything, stable: time, listener)
    }

    /// Adds a listener on the main actor of the status; see ``addStatusListener(queue:stable:_:)``.
    ///
    /// - Parameters:
    ///   - time: How long a change has to last.
    ///   - listener: Gets the status, in order, on the main queue, which the main actor runs on.
    /// - Returns: A handle to remove the listener; the listener stays if it is released.
    @discardableResult
    public func addStatusListener(
        stable time: Duration = .zero,
        _ listener: @escaping @MainActor (_ status: NetworkReachabilityStatus) -> Void
    ) -> ReachabilityListener {
        addStatusListener(queue: .main, stable: time, fromMainQueue(listener))
    }

    /// Adds a listener of the status, called when it differs from the one before.
    ///
    /// While the target is monitored the listener is called with the current status first.
    ///
    /// - Parameters:
    ///   - queue: The queue on which `listener` is called; calls stay in order on a serial queue only.
    ///   - time: How long a change has to last, without the time that the host is suspended: one that is undone
    ///     earlier is not reported. The current value is reported at once.
    ///   - listener: Gets the status.
    /// - Returns: A handle to remove the listener; the listener stays if it is released.
    @discardableResult
    public func addStatusListener(
        queue: DispatchQueue, stable time: Duration = .zero,
        _ listener: @escaping @Sendable (_ status: NetworkReachabilityStatus) -> Void
    ) -> ReachabilityListener {
        addListener(queue: queue, of: .status, stable: time) { listener($0.status) }
    }

    /// Adds a listener of changes of one part of the snapshot.
    package func addListener(
        queue: DispatchQueue, of part: ReportedPart, stable time: Duration = .zero,
        _ listener: @escaping @Sendable (_ snapshot: ReachabilitySnapshot) -> Void
    ) -> ReachabilityListener {
        add(Callback(queue: queue, part: part, stable: time, handler: listener))
    }

    private func add(_ callback: Callback) -> ReachabilityListener {
        state.withLock { $0.add(callback) }
        catchUp()
        return ReachabilityListener { [weak self] in
            callback.cancel()
            self?.remove(callback)
        }
    }
}

/// A call of the main queue that calls a closure of the main actor, which runs on that queue.
private func fromMainQueue<Value>(
    _ body: @escaping @MainActor (Value) -> Void
) -> @Sendable (Value) -> Void where Value: Sendable {
    { value in MainActor.assumeIsolated { body(value) } }
}
