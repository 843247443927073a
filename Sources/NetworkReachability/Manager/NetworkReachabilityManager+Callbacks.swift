// SPDX-License-Identifier: MIT

public import Dispatch

extension NetworkReachabilityManager {
    /// Sets the one block that is told the status, in place of the one before.
    ///
    /// While the target is watched the block gets the current status first, then each different one.
    ///
    /// - Parameters:
    ///   - queue: Where `block` is called; give a serial queue, so that calls stay in order.
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

    /// Adds a listener that is told everything that is published, also what leaves the status as it
    /// is: another interface, another gateway, new addresses of a name.
    ///
    /// While the target is watched the listener gets the current value first.
    ///
    /// - Parameters:
    ///   - queue: Where `listener` is called; give a serial queue, so that calls stay in order.
    ///   - listener: Gets the snapshot.
    /// - Returns: Removes the listener; it stays until then, whether the result is kept or not.
    @discardableResult
    public func addListener(
        queue: DispatchQueue = .main,
        _ listener: @escaping @Sendable (_ snapshot: ReachabilitySnapshot) -> Void
    ) -> NetworkReachabilityListener {
        add(Callback(queue: queue, byStatus: false, handler: listener))
    }

    /// Adds a listener that is told each status that differs from the one before.
    ///
    /// While the target is watched the listener gets the current status first.
    ///
    /// - Parameters:
    ///   - queue: Where `listener` is called; give a serial queue, so that calls stay in order.
    ///   - listener: Gets the status.
    /// - Returns: Removes the listener; it stays until then, whether the result is kept or not.
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
