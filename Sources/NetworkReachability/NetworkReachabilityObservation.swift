// SPDX-License-Identifier: MIT

internal import Synchronization

/// Stands for an observer of a property, as `NSKeyValueObservation` does: the observer is removed by
/// ``invalidate()`` or when this object goes away, so keep it.
public final class NetworkReachabilityObservation: Sendable {
    private let observer: any PropertyObserver
    private weak let manager: NetworkReachabilityManager?

    init(observer: any PropertyObserver, manager: NetworkReachabilityManager) {
        self.observer = observer
        self.manager = manager
    }

    deinit {
        invalidate()
    }

    /// Removes the observer and releases its closure.
    ///
    /// On the observer's queue it is not called any more once this has returned; on another queue
    /// one call may still be under way. May be called more than once.
    public func invalidate() {
        observer.invalidate()
        manager?.remove(observer)
    }
}
