// SPDX-License-Identifier: MIT

public import Dispatch

extension NetworkReachabilityManager {
    /// Sets the block that receives the status on the main actor, and replaces the previous one.
    ///
    /// While the target is monitored, the block first receives the current status, then each status that
    /// differs.
    ///
    /// - Parameter block: Receives the status, in order, on the main queue, which the main actor runs on; nil for no
    ///   block.
    public func setReachabilityStatusChangeBlock(
        _ block: (@MainActor (_ status: NetworkReachabilityStatus) -> Void)?
    ) {
        setReachabilityStatusChangeBlock(queue: .main, block.map(fromMainQueue))
    }

    /// Sets the block that receives the status on a queue, and replaces the previous one.
    ///
    /// While the target is monitored, the block first receives the current status, then each status that
    /// differs.
    ///
    /// - Parameters:
    ///   - queue: The queue on which `block` runs. Calls stay in order only on a serial queue.
    ///   - block: Receives the status; nil for no block.
    public func setReachabilityStatusChangeBlock(
        queue: DispatchQueue,
        _ block: (@Sendable (_ status: NetworkReachabilityStatus) -> Void)?
    ) {
        let callback = block.map { block in
            Callback(.block, queue: queue, part: .status) { block($0.status) }
        }
        let replaced = state.withLock { $0.setBlock(callback) }
        replaced?.cancel()
        if callback != nil { catchUp() }
    }

    /// Adds a listener for all changes on the main actor; see ``addListener(queue:stable:_:)``.
    ///
    /// - Parameters:
    ///   - time: How long a change must last.
    ///   - listener: Receives the snapshot, in order, on the main queue, which the main actor runs on.
    /// - Returns: A handle that removes the listener. The listener stays if you release the handle.
    @discardableResult
    public func addListener(
        stable time: Duration = .zero,
        _ listener: @escaping @MainActor (_ snapshot: ReachabilitySnapshot) -> Void
    ) -> ReachabilityListener {
        addListener(queue: .main, stable: time, fromMainQueue(listener))
    }

    /// Adds a listener for all changes, including those that keep the status: another interface, another
    /// gateway, or new addresses of a name.
    ///
    /// While the target is monitored, the listener first receives the current value.
    ///
    /// - Parameters:
    ///   - queue: The queue on which `listener` runs. Calls stay in order only on a serial queue.
    ///   - time: How long a change must last, not counting time during which the host is suspended. A change
    ///     that is undone before then isn't reported. The current value is reported immediately.
    ///   - listener: Receives the snapshot.
    /// - Returns: A handle that removes the listener. The listener stays if you release the handle.
    @discardableResult
    public func addListener(
        queue: DispatchQueue, stable time: Duration = .zero,
        _ listener: @escaping @Sendable (_ snapshot: ReachabilitySnapshot) -> Void
    ) -> ReachabilityListener {
        addListener(queue: queue, of: .everything, stable: time, listener)
    }

    /// Adds a listener for the status on the main actor; see ``addStatusListener(queue:stable:_:)``.
    ///
    /// - Parameters:
    ///   - time: How long a change must last.
    ///   - listener: Receives the status, in order, on the main queue, which the main actor runs on.
    /// - Returns: A handle that removes the listener. The listener stays if you release the handle.
    @discardableResult
    public func addStatusListener(
        stable time: Duration = .zero,
        _ listener: @escaping @MainActor (_ status: NetworkReachabilityStatus) -> Void
    ) -> ReachabilityListener {
        addStatusListener(queue: .main, stable: time, fromMainQueue(listener))
    }

    /// Adds a listener for the status, called when it differs from the previous one.
    ///
    /// While the target is monitored, the listener first receives the current status.
    ///
    /// - Parameters:
    ///   - queue: The queue on which `listener` runs. Calls stay in order only on a serial queue.
    ///   - time: How long a change must last, not counting time during which the host is suspended. A change
    ///     that is undone before then isn't reported. The current value is reported immediately.
    ///   - listener: Receives the status.
    /// - Returns: A handle that removes the listener. The listener stays if you release the handle.
    @discardableResult
    public func addStatusListener(
        queue: DispatchQueue, stable time: Duration = .zero,
        _ listener: @escaping @Sendable (_ status: NetworkReachabilityStatus) -> Void
    ) -> ReachabilityListener {
        addListener(queue: queue, of: .status, stable: time) { listener($0.status) }
    }

    /// Adds a listener for changes of one part of the snapshot.
    package func addListener(
        queue: DispatchQueue, of part: ReportedPart, stable time: Duration = .zero,
        _ listener: @escaping @Sendable (_ snapshot: ReachabilitySnapshot) -> Void
    ) -> ReachabilityListener {
        ReachabilityListener(
            add(Callback(queue: queue, part: part, stable: time, handler: listener)))
    }
}

/// Converts a closure of the main actor to one for the main queue, which the main actor runs on.
package func fromMainQueue<Value>(
    _ body: @escaping @MainActor (Value) -> Void
) -> @Sendable (Value) -> Void where Value: Sendable {
    { value in MainActor.assumeIsolated { body(value) } }
}
