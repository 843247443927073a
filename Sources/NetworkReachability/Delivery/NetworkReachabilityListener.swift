// SPDX-License-Identifier: MIT

/// Stands for a listener, to remove it with ``cancel()``.
///
/// Letting go of it removes nothing: the listener stays as long as the manager.
public final class NetworkReachabilityListener: Sendable {
    private let remove: @Sendable () -> Void

    init(_ remove: @escaping @Sendable () -> Void) {
        self.remove = remove
    }

    /// Removes the listener and releases its closure.
    ///
    /// On the listener's queue it is not called any more once this has returned; on another queue
    /// one call may still be under way. May be called more than once.
    public func cancel() {
        remove()
    }
}
