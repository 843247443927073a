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
            keyPath: keyPath, options: options, handler: changeHandler)
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
    typealias Change = ReachabilityObservedChange<Value>
    typealias Handler = @Sendable (AFNetworkReachabilityManager, Change) -> Void

    private struct Held {
        /// Nil after invalidate(): breaks the cycle of a closure that holds its own observation.
        var handler: Handler?
        /// The value before the current assignment.
        var old: Value?
    }

    private let keyPath: any KeyPath<AFNetworkReachabilityManager, Value> & Sendable
    private let options: ReachabilityObservingOptions
    private let held: Lock<Held>

    init(
        keyPath: any KeyPath<AFNetworkReachabilityManager, Value> & Sendable,
        options: ReachabilityObservingOptions, handler: @escaping Handler
    ) {
        self.keyPath = keyPath
        self.options = options
        held = Lock(Held(handler: handler))
    }

    func invalidate() {
        _ = held.withLock { $0.handler.take() }
    }

    func notifyInitially(_ manager: AFNetworkReachabilityManager) {
        guard options.contains(.initial) else { return }
        notify(manager, new: manager[keyPath: keyPath], old: nil, isPrior: false)
    }

    func willChange(_ manager: AFNetworkReachabilityManager) {
        let old = manager[keyPath: keyPath]
        let before = held.withLock { held in
            defer { held.old = old }
            return held.old
        }
        withExtendedLifetime(before) {}
        if options.contains(.prior) { notify(manager, new: nil, old: old, isPrior: true) }
    }

    func didChange(_ manager: AFNetworkReachabilityManager) {
        let old = held.withLock { $0.old.take() }
        notify(manager, new: manager[keyPath: keyPath], old: old, isPrior: false)
    }

    private func notify(
        _ manager: AFNetworkReachabilityManager, new: Value?, old: Value?, isPrior: Bool
    ) {
        guard let handler = held.withLock({ $0.handler }) else { return }
        handler(
            manager,
            Change(
                newValue: options.contains(.new) ? new : nil,
                oldValue: options.contains(.old) ? old : nil, isPrior: isPrior))
    }
}
