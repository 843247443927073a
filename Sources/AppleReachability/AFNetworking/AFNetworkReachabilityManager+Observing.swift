// SPDX-License-Identifier: MIT

extension AFNetworkReachabilityManager {
    /// Observes a property, like key-value observing.
    ///
    /// The handler is called on the main queue for each assignment of ``networkReachabilityStatus``:
    /// before it, with the option `prior`, and after it; the block and the notification follow. The
    /// initial call is made on the calling thread. Values are not compared, so the same one may be
    /// reported again.
    ///
    /// - Parameters:
    ///   - keyPath: ``networkReachabilityStatus`` or a property computed from it.
    ///   - options: Which values a change has, and when the handler is called besides.
    ///   - changeHandler: Called with the manager and the change.
    /// - Returns: A handle to keep: releasing it removes the observer.
    public func observe<Value: Sendable>(
        _ keyPath: any KeyPath<AFNetworkReachabilityManager, Value> & Sendable,
        options: ReachabilityObservingOptions = [],
        changeHandler:
            @escaping @Sendable (
                _ manager: AFNetworkReachabilityManager,
                _ change: ReachabilityObservedChange<Value>
            ) -> Void
    ) -> ReachabilityObservation {
        let observer = KeyPathStatusObserver(
            keyPath: keyPath, handler: ObservationHandler(options, changeHandler))
        state.withLock { $0.observers.append(observer) }
        observer.notifyInitially(self)
        return ReachabilityObservation { [weak self] in
            observer.invalidate()
            let removed = self?.state.withLock { state in
                state.observers.firstIndex { $0 === observer }.map {
                    state.observers.remove(at: $0)
                }
            }
            withExtendedLifetime(removed) {}
        }
    }
}

/// An observer of a property of any type that is computed from the status.
protocol StatusObserver: AnyObject, Sendable {
    /// Called on the main queue before the status is assigned.
    func willChange(_ manager: AFNetworkReachabilityManager)

    /// Called on the main queue after that.
    func didChange(_ manager: AFNetworkReachabilityManager)
}

/// The observer of one key path.
private final class KeyPathStatusObserver<Value: Sendable>: StatusObserver {
    private let keyPath: any KeyPath<AFNetworkReachabilityManager, Value> & Sendable
    private let handler: ObservationHandler<AFNetworkReachabilityManager, Value>
    /// The value before the current assignment.
    private let before = Lock<Value?>(nil)

    init(
        keyPath: any KeyPath<AFNetworkReachabilityManager, Value> & Sendable,
        handler: ObservationHandler<AFNetworkReachabilityManager, Value>
    ) {
        self.keyPath = keyPath
        self.handler = handler
    }

    func invalidate() {
        handler.invalidate()
    }

    func notifyInitially(_ manager: AFNetworkReachabilityManager) {
        guard handler.options.contains(.initial) else { return }
        handler.call(manager, new: manager[keyPath: keyPath], old: nil)
    }

    func willChange(_ manager: AFNetworkReachabilityManager) {
        let old = manager[keyPath: keyPath]
        let earlier = before.withLock { before in
            defer { before = old }
            return before
        }
        withExtendedLifetime(earlier) {}
        guard handler.options.contains(.prior) else { return }
        handler.call(manager, new: nil, old: old, isPrior: true)
    }

    func didChange(_ manager: AFNetworkReachabilityManager) {
        let old = before.withLock { $0.take() }
        handler.call(manager, new: manager[keyPath: keyPath], old: old)
    }
}
