// SPDX-License-Identifier: MIT

internal import RunLoops

extension AFNetworkReachabilityManager {
    /// Observes a property, like key-value observing.
    ///
    /// The handler is called on the main queue after each assignment of
    /// ``networkReachabilityStatus``, and with the option `prior` also before it. The block and the
    /// notification follow. The initial call is made at once on the main thread, else later on the main queue.
    /// Values aren't compared, so the same value may be reported again.
    ///
    /// - Parameters:
    ///   - keyPath: ``networkReachabilityStatus`` or a property computed from it.
    ///   - options: Which values a change has, and when else to call the handler.
    ///   - changeHandler: Called with the manager and the change.
    /// - Returns: A handle to keep: releasing it removes the observer.
    public func observe<Value: Sendable>(
        _ keyPath: any KeyPath<AFNetworkReachabilityManager, Value> & Sendable,
        options: ReachabilityObservingOptions = [],
        changeHandler:
            @escaping @MainActor (
                _ manager: AFNetworkReachabilityManager,
                _ change: ReachabilityObservedChange<Value>
            ) -> Void
    ) -> ReachabilityObservation {
        let handler = ObservationHandler(options) {
            (manager: AFNetworkReachabilityManager, change: ReachabilityObservedChange<Value>) in
            MainActor.assumeIsolated { changeHandler(manager, change) }
        }
        /// The value before the current assignment.
        let before = Lock<Value?>(nil)
        let observer = StatusObserver { manager in
            let old = manager[keyPath: keyPath]
            var replaced: Value? = old
            before.withLock { swap(&$0, &replaced) }
            guard options.contains(.prior) else { return }
            handler.call(manager, new: nil, old: old, isPrior: true)
        } didChange: { manager in
            let old = before.withLock { $0.take() }
            handler.call(manager, new: manager[keyPath: keyPath], old: old)
        }
        state.withLock { $0.observers.append(observer) }
        if options.contains(.initial) {
            MainQueue.run { [self] in
                handler.call(self, new: self[keyPath: keyPath], old: nil)
            }
        }
        return ReachabilityObservation { [weak self] in
            handler.invalidate()
            let removed = self?.state.withLock { state in
                state.observers.firstIndex { $0 === observer }.map {
                    state.observers.remove(at: $0)
                }
            }
            withExtendedLifetime(removed) {}
        }
    }
}

/// An observer of a property that is computed from the status.
final class StatusObserver: Sendable {
    typealias Call = @Sendable (AFNetworkReachabilityManager) -> Void

    /// Called on the main queue before the status is assigned.
    let willChange: Call
    /// Called on the main queue after the status is assigned.
    let didChange: Call

    init(willChange: @escaping Call, didChange: @escaping Call) {
        self.willChange = willChange
        self.didChange = didChange
    }
}
