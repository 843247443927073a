// SPDX-License-Identifier: MIT

public import Dispatch

extension NetworkReachabilityManager {
    /// Tells about changes of a property, as key-value observing does.
    ///
    /// ``networkReachabilityStatus`` and what follows from it are reported when the status changes, also
    /// if, as for ``isReachable``, the property's own value may be the same before and after. Any other
    /// property is reported with every published change. A change is reported after it has
    /// happened, to each queue in order; `prior` therefore means before the other call, and the property
    /// itself may have its new value already: use the values in `change`.
    ///
    /// - Parameters:
    ///   - keyPath: The property; any that can be read, those of your own extensions too. It is read on
    ///     a queue of the library and must not block.
    ///   - options: What is wanted.
    ///   - queue: Where `changeHandler` is called; give a serial queue, so that calls stay in order.
    ///   - changeHandler: Gets the manager and the change.
    /// - Returns: Keep it: the observer is removed when it goes away.
    public func observe<Value: Sendable>(
        _ keyPath: any KeyPath<NetworkReachabilityManager, Value> & Sendable,
        options: NetworkReachabilityObservingOptions = [],
        queue: DispatchQueue = .main,
        changeHandler:
            @escaping @Sendable (
                _ manager: NetworkReachabilityManager,
                _ change: NetworkReachabilityObservedChange<Value>
            ) -> Void
    ) -> NetworkReachabilityObservation {
        var versions: Versions
        var value: Value
        repeat {
            versions = state.withLock { $0.versions }
            value = self[keyPath: keyPath]
        } while versions != state.withLock { $0.versions }
        let observer = KeyPathObserver(
            keyPath: keyPath, options: options, queue: queue, handler: changeHandler,
            value: value, versions: versions)
        observer.sendInitial(to: self)
        MonitorLoop.perform { self.insert(observer) }
        return NetworkReachabilityObservation { [weak self] in
            observer.invalidate()
            self?.remove(observer)
        }
    }

    /// The properties that a property follows from, as AFNetworkReachabilityManager has it.
    ///
    /// - Parameter key: A property's name, as Objective-C (`reachable`) or Swift (`isReachable`) has it.
    /// - Returns: `networkReachabilityStatus` for what follows from it, else nothing.
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
