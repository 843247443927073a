// SPDX-License-Identifier: MIT

/// A handle for a listener, which ``cancel()`` removes.
///
///     let listener = manager.addListener { print($0) }
///     try manager.startMonitoring()
///     // When you no longer need it:
///     listener.cancel()
///
/// Releasing the handle doesn't remove the listener: it stays as long as its manager or monitor.
public final class ReachabilityListener: Sendable {
    private let remove: @Sendable () -> Void

    /// - Parameter remove: Removes the listener.
    package init(_ remove: @escaping @Sendable () -> Void) {
        self.remove = remove
    }

    /// Removes the listener and releases its closure.
    ///
    /// If you call it on the listener's queue, no call follows. If you call it elsewhere, one call may still be
    /// running or about to run. You can call it from any thread, and more than once.
    public func cancel() {
        remove()
    }
}
