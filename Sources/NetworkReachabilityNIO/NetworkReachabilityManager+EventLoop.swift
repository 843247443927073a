// SPDX-License-Identifier: MIT

#if NIO
    public import NIOCore
    public import NetworkReachability

    extension NetworkReachabilityManager {
        /// Adds a listener of all changes that is called on an event loop, in order.
        ///
        ///     let listener = manager.addListener(on: eventLoop) { snapshot in print(snapshot) }
        ///     try manager.startMonitoring()
        ///     // On the event loop, when it is no longer wanted:
        ///     listener.cancel()
        ///
        /// While the target is monitored the listener is called with the current value first. No call follows
        /// `cancel()` or `stopMonitoring()` called on the event loop.
        ///
        /// - Parameters:
        ///   - eventLoop: Retained; cancel the listener before the event loop is shut down.
        ///   - listener: Gets the snapshot.
        /// - Returns: A handle to remove the listener; the listener stays if it is released.
        @discardableResult
        public func addListener(
            on eventLoop: any EventLoop,
            _ listener: @escaping @Sendable (_ snapshot: ReachabilitySnapshot) -> Void
        ) -> NetworkReachabilityListener {
            addListener(executor: { eventLoop.execute($0) }, byStatus: false, listener)
        }

        /// Adds a listener of the status that is called on an event loop, in order, when the status differs
        /// from the one before.
        ///
        /// While the target is monitored the listener is called with the current status first.
        ///
        /// - Parameters:
        ///   - eventLoop: Retained; cancel the listener before the event loop is shut down.
        ///   - listener: Gets the status.
        /// - Returns: A handle to remove the listener; the listener stays if it is released.
        @discardableResult
        public func addStatusListener(
            on eventLoop: any EventLoop,
            _ listener: @escaping @Sendable (_ status: NetworkReachabilityStatus) -> Void
        ) -> NetworkReachabilityListener {
            addListener(executor: { eventLoop.execute($0) }, byStatus: true) { listener($0.status) }
        }
    }
#endif
