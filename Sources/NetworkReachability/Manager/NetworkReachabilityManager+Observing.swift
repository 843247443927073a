// SPDX-License-Identifier: MIT

public import Dispatch

extension NetworkReachabilityManager {
    /// Observes a property on the main actor; see ``observe(_:options:queue:changeHandler:)``.
    ///
    /// - Parameters:
    ///   - keyPath: The property. It is read on a thread of the library and must not block.
    ///   - options: Which values a change has, and which additional calls the handler receives.
    ///   - changeHandler: Called with the manager and the change, in order, on the main queue, which the
    ///     main actor runs on.
    /// - Returns: A handle. Keep it: releasing it removes the observer.
    public func observe<Value: Sendable>(
        _ keyPath: any KeyPath<NetworkReachabilityManager, Value> & Sendable,
        options: ReachabilityObservingOptions = [],
        changeHandler:
            @escaping @MainActor (
                _ manager: NetworkReachabilityManager,
                _ change: ReachabilityObservedChange<Value>
            ) -> Void
    ) -> ReachabilityObservation {
        observe(keyPath, options: options, queue: .main) { manager, change in
            MainActor.assumeIsolated { changeHandler(manager, change) }
        }
    }

    /// Observes a property, like key-value observing.
    ///
    /// ``networkReachabilityStatus`` and the properties computed from it are reported when the status
    /// changes, even if the value of the property, such as ``isReachable``, stays the same. Any other
    /// property is reported with every published change. Changes are reported after they have happened, in
    /// order on each queue. A `prior` call comes before the other call for the same change, but the property may
    /// have its new value already: use the values in `change`.
    ///
    /// - Parameters:
    ///   - keyPath: The property, which may be declared in your own extension. It is read on a thread of the
    ///     library and must not block.
    ///   - options: Which values a change has, and which additional calls the handler receives.
    ///   - queue: The queue on which `changeHandler` runs. Calls stay in order only on a serial queue.
    ///   - changeHandler: Called with the manager and the change.
    /// - Returns: A handle. Keep it: releasing it removes the observer.
    public func observe<Value: Sendable>(
        _ keyPath: any KeyPath<NetworkReachabilityManager, Value> & Sendable,
        options: ReachabilityObservingOptions = [],
        queue: DispatchQueue,
        changeHandler:
            @escaping @Sendable (
                _ manager: NetworkReachabilityManager,
                _ change: ReachabilityObservedChange<Value>
            ) -> Void
    ) -> ReachabilityObservation {
        var snapshot: ReachabilitySnapshot
        var value: Value
        repeat {
            snapshot = state.withLock { $0.snapshot }
            value = self[keyPath: keyPath]
        } while snapshot != state.withLock { $0.snapshot }
        let observer = KeyPathObserver(
            keyPath: keyPath, queue: queue, handler: ObservationHandler(options, changeHandler),
            value: value, of: snapshot)
        observer.sendInitial(to: self)
        return ReachabilityObservation(add(observer))
    }

    /// Returns the properties that a property is computed from, as in AFNetworkReachabilityManager.
    ///
    /// - Parameter key: The name of a property in Objective-C (`reachable`) or Swift (`isReachable`).
    /// - Returns: `networkReachabilityStatus` for the properties computed from it, else the empty set.
    public static func keyPathsForValuesAffectingValue(forKey key: String) -> Set<String> {
        switch key {
        case "reachable", "reachableViaWWAN", "reachableViaWiFi",
            "isReachable", "isReachableViaWWAN", "isReachableViaWiFi":
            ["networkReachabilityStatus"]
        default:
            []
        }
    }
}

/// The observer of one key path.
final class KeyPathObserver<Value: Sendable>: ManagerSubscriber {
    typealias Handler = ObservationHandler<NetworkReachabilityManager, Value>
    typealias Path = any KeyPath<NetworkReachabilityManager, Value> & Sendable

    private struct Known: Sendable {
        var value: Value
        var snapshot: ReachabilitySnapshot
    }

    let kind = SubscriberKind.observer
    let part: ReportedPart
    private let keyPath: Path
    private let queue: CallQueue
    private let handler: Handler
    private let known: Lock<Known>

    /// `value` is the value of the property while the manager had `snapshot`.
    init(
        keyPath: Path, queue: DispatchQueue, handler: Handler, value: Value,
        of snapshot: ReachabilitySnapshot
    ) {
        let ofStatus: [AnyKeyPath] = [
            \NetworkReachabilityManager.networkReachabilityStatus,
            \NetworkReachabilityManager.isReachable,
            \NetworkReachabilityManager.isReachableViaWWAN,
            \NetworkReachabilityManager.isReachableViaWiFi,
        ]
        self.keyPath = keyPath
        self.queue = CallQueue(queue)
        self.handler = handler
        part = ofStatus.contains(keyPath) ? .status : .everything
        known = Lock(Known(value: value, snapshot: snapshot))
    }

    func cancel() {
        handler.invalidate()
    }

    func sendInitial(to manager: NetworkReachabilityManager) {
        guard handler.options.contains(.initial) else { return }
        let value = known.withLock { $0.value }
        queue.queue.async { [weak manager, handler] in
            guard let manager else { return }
            handler.call(manager, new: value, old: nil)
        }
    }

    /// Reports the property if it has changed since the last report.
    func delivery(of report: ManagerReport, isFirst: Bool) -> Delivery? {
        guard known.withLock({ !part.isEqual($0.snapshot, report.snapshot) }) else { return nil }
        let new = report.manager[keyPath: keyPath]
        let old = known.withLock { known in
            defer { known = Known(value: new, snapshot: report.snapshot) }
            return known.value
        }
        return .call(on: queue) {
            [weak manager = report.manager, session = report.session, handler] in
            guard let manager, !session.isEnded else { return }
            if handler.options.contains(.prior) {
                handler.call(manager, new: nil, old: old, isPrior: true)
            }
            // The handler may have stopped the manager.
            guard !session.isEnded else { return }
            handler.call(manager, new: new, old: old)
        }
    }
}
