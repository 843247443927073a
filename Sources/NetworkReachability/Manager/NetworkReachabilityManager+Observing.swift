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
        var versions: Versions
        var value: Value
        repeat {
            versions = state.withLock { $0.versions }
            value = self[keyPath: keyPath]
        } while versions != state.withLock { $0.versions }
        let observer = KeyPathObserver(
            keyPath: keyPath, queue: queue, handler: ObservationHandler(options, changeHandler),
            value: value, versions: versions)
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
