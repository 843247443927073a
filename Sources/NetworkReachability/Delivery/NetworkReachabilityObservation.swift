// SPDX-License-Identifier: MIT

/// Stands for an observer of a property, as `NSKeyValueObservation` does: the observer is removed by
/// ``invalidate()`` or when this object goes away, so keep it.
public final class NetworkReachabilityObservation: Sendable {
    private let remove: @Sendable () -> Void

    /// - Parameter remove: Removes the observer; called once or more.
    package init(_ remove: @escaping @Sendable () -> Void) {
        self.remove = remove
    }

    deinit {
        invalidate()
    }

    /// Removes the observer and releases its closure.
    ///
    /// On the observer's queue it is not called any more once this has returned; on another queue
    /// one call may still be under way. May be called more than once.
    public func invalidate() {
        remove()
    }
}
