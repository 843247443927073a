// SPDX-License-Identifier: MIT

public import Dispatch

extension NetworkReachabilityManager {
    /// Sets the block that is called with the status, in place of the one before.
    ///
    /// While the target is monitored the block is called with the current status first, then with each
    /// different one.
    ///
    /// - Parameters:
    ///   - queue: The queue on which `block` is called; calls stay in order on a serial queue only.
    ///   - block: Gets the status; nil for no block.
    public func setReachabilityStatusChangeBlock(
        queue: DispatchQueue = .main,
        _ block: (@Sendable (_ status: NetworkReachabilityStatus) -> Void)?
    ) {
        let callback = block.map { block in
            Callback(queue: queue, byStatus: true) { block($0.status) }
        }
        let replaced = state.withLock { $0.setBlock(callback) }
        replaced?.cancel()
        if callback != nil { catchUp() }
    }

    /// Adds a listener of all changes, also of those that leave the status as it is: another interface,
    /// another gateway, new addresses of a name.
    ///
    /// While the target is monitored the listener is called with the current value first.
    ///
    /// - Parameters:
    ///   - queue: The queue on which `listener` is called; calls stay in order on a serial queue only.
    ///   - listener: Gets the snapshot.
    /// - Returns: A handle to remove the listener; the listener stays if it is released.
    @discardableResult
    public func addListener(
        queue: DispatchQueue = .main,
        _ listener: @escaping @Sendable (_ snapshot: ReachabilitySnapshot) -> Void
    ) -> NetworkReachabilityListener {
        add(Callback(queue: queue, byStatus: false, handler: listener))
    }

    /// Adds a listener of the status, called when it differs from the one before.
    ///
    /// While the target is monitored the listener is called with the current status first.
    ///
    /// - Parameters:
    ///   - queue: The queue on which `listener` is called; calls stay in order on a serial queue only.
    ///   - listener: Gets the status.
    /// - Returns: A handle to remove the listener; the listener stays if it is released.
    @discardableResult
    public func addStatusListener(
        queue: DispatchQueue = .main,
        _ listener: @escaping @Sendable (_ status: NetworkReachabilityStatus) -> Void
    ) -> NetworkReachabilityListener {
        add(Callback(queue: queue, byStatus: true) { listener($0.status) })
    }

    private func add(_ callback: Callback) -> NetworkReachabilityListener {
        state.withLock { $0.add(callback) }
        catchUp()
        return NetworkReachabilityListener { [weak self] in
            callback.cancel()
            self?.remove(callback)
        }
    }
}
