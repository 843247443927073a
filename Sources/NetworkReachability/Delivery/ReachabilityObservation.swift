// SPDX-License-Identifier: MIT

/// A handle for a property observer, like `NSKeyValueObservation`: ``invalidate()`` or releasing the
/// handle removes the observer.
///
///     let observation = manager.observe(\.isReachable, options: [.initial, .new]) { _, change in
///         print(change.newValue == true ? "online" : "offline")
///     }
///     // When you no longer need it:
///     observation.invalidate()
public final class ReachabilityObservation: Sendable {
    private let remove: @Sendable () -> Void

    /// - Parameter remove: Removes the observer; called at least once.
    package init(_ remove: @escaping @Sendable () -> Void) {
        self.remove = remove
    }

    deinit {
        invalidate()
    }

    /// Removes the observer and releases its closure.
    ///
    /// If you call it on the observer's queue, no call follows. If you call it elsewhere, one call may still be
    /// running or about to run. You can call it from any thread, and more than once.
    public func invalidate() {
        remove()
    }
}
