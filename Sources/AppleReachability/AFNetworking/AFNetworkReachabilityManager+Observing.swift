// SPDX-License-Identifier: MIT

internal import Synchronization

extension AFNetworkReachabilityManager {
    /// Tells about each assignment of ``networkReachabilityStatus``, as key-value observing does.
    ///
    /// The status is assigned on the main queue, and there the handler is called: before, if `prior` is
    /// wanted, and after; the block and the notification follow. The initial call is made by the calling
    /// thread. As values are not compared, the same one may come again.
    ///
    /// - Parameters:
    ///   - keyPath: ``networkReachabilityStatus`` or what follows from it.
    ///   - options: What is wanted.
    ///   - changeHandler: Gets the manager and the change.
    /// - Returns: Keep it: the observer is removed when it goes away.
    public func observe<Value: Sendable>(
        _ keyPath: any KeyPath<AFNetworkReachabilityManager, Value> & Sendable,
        options: NetworkReachabilityObservingOptions = [],
        changeHandler:
            @escaping @Sendable (
                _ manager: AFNetworkReachabilityManager,
                _ change: NetworkReachabilityObservedChange<Value>
            ) -> Void
    ) -> NetworkReachabilityObservation {
        let observer = KeyPathStatusObserver(
            keyPath: keyPath, options: options, handler: changeHandler)
        state.withLock { $0.observers.append(observer) }
        observer.tellInitial(self)
        return NetworkReachabilityObservation { [weak self] in
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

/// An observer of a property of some type that follows from the status.
protocol StatusObserver: AnyObject, Sendable {
    /// Called on the main queue before the status is assigned.
    func willChange(_ manager: AFNetworkReachabilityManager)

    /// Called on the main queue after that.
    func didChange(_ manager: AFNetworkReachabilityManager)
}

/// The observer of one key path.
private final class KeyPathStatusObserver<Value: Sendable>: StatusObserver {
    typealias Change = NetworkReachabilityObservedChange<Value>
    typealias Handler = @Sendable (AFNetworkReachabilityManager, Change) -> Void

    private struct Held {
        /// Nil once it is invalidated, so that a closure that holds its own observation goes away.
        var handler: Handler?
        /// The value before the assignment that is under way.
        var old: Value?
    }

    private let keyPath: any KeyPath<AFNetworkReachabilityManager, Value> & Sendable
    private let options: NetworkReachabilityObservingOptions
    private let held: Mutex<Held>

    init(
        keyPath: any KeyPath<AFNetworkReachabilityManager, Value> & Sendable,
        options: NetworkReachabilityObservingOptions, handler: @escaping Handler
    ) {
        self.keyPath = keyPath
        self.options = options
        held = Mutex(Held(handler: handler))
    }

    func invalidate() {
        _ = held.withLock { $0.handler.take() }
    }

    func tellInitial(_ manager: AFNetworkReachabilityManager) {
        guard options.contains(.initial) else { return }
        tell(manager, new: manager[keyPath: keyPath], old: nil, isPrior: false)
    }

    func willChange(_ manager: AFNetworkReachabilityManager) {
        let old = manager[keyPath: keyPath]
        let before = held.withLock { held in
            defer { held.old = old }
            return held.old
        }
        withExtendedLifetime(before) {}
        if options.contains(.prior) { tell(manager, new: nil, old: old, isPrior: true) }
    }

    func didChange(_ manager: AFNetworkReachabilityManager) {
        let old = held.withLock { $0.old.take() }
        tell(manager, new: manager[keyPath: keyPath], old: old, isPrior: false)
    }

    private func tell(
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
