// SPDX-License-Identifier: MIT

internal import Dispatch

/// Counters of the changes of a manager's properties; an observer compares them with those of its last
/// look.
struct Versions: Equatable, Sendable {
    var snapshot = 0
    var status = 0
}

/// An observer of a property of some type.
protocol PropertyObserver: AnyObject, Sendable {
    func invalidate()

    /// Reports the property if it has changed since the last call. Called by the loop.
    func look(
        at manager: NetworkReachabilityManager, versions: Versions, session: MonitoringSession?
    ) -> [Delivery]
}

/// The observer of one key path.
final class KeyPathObserver<Value: Sendable>: PropertyObserver {
    typealias Change = ReachabilityObservedChange<Value>
    typealias Handler = @Sendable (NetworkReachabilityManager, Change) -> Void
    typealias Path = any KeyPath<NetworkReachabilityManager, Value> & Sendable

    private struct Known: Sendable {
        var value: Value
        var version: Int
    }

    /// A struct, since each access to a bare closure in `Lock` would add a reabstraction thunk.
    private struct Held {
        /// Nil after invalidate(): breaks the cycle of a closure that holds its own observation.
        var handler: Handler?
    }

    private let keyPath: Path
    private let options: ReachabilityObservingOptions
    private let queue: DispatchQueue
    private let held: Lock<Held>
    private let followsStatus: Bool
    private let known: Lock<Known>

    /// `value` is what the property is at `versions`.
    init(
        keyPath: Path, options: ReachabilityObservingOptions, queue: DispatchQueue,
        handler: @escaping Handler, value: Value, versions: Versions
    ) {
        let ofStatus: [AnyKeyPath] = [
            \NetworkReachabilityManager.networkReachabilityStatus,
            \NetworkReachabilityManager.isReachable,
            \NetworkReachabilityManager.isReachableViaWWAN,
            \NetworkReachabilityManager.isReachableViaWiFi,
        ]
        self.keyPath = keyPath
        self.options = options
        self.queue = queue
        held = Lock(Held(handler: handler))
        followsStatus = ofStatus.contains(keyPath)
        let version = followsStatus ? versions.status : versions.snapshot
        known = Lock(Known(value: value, version: version))
    }

    func invalidate() {
        _ = held.withLock { $0.handler.take() }
    }

    func sendInitial(to manager: NetworkReachabilityManager) {
        guard options.contains(.initial) else { return }
        let value = known.withLock { $0.value }
        let change = Change(newValue: wanted(.new, value), oldValue: nil, isPrior: false)
        queue.async { [weak manager] in self.notify([change], to: manager, session: nil) }
    }

    func look(
        at manager: NetworkReachabilityManager, versions: Versions, session: MonitoringSession?
    ) -> [Delivery] {
        let version = followsStatus ? versions.status : versions.snapshot
        guard known.withLock({ $0.version != version }) else { return [] }
        let new = manager[keyPath: keyPath]
        let old = known.withLock { known in
            defer { known = Known(value: new, version: version) }
            return known.value
        }
        guard let session else { return [] }
        let oldValue = wanted(.old, old)
        let change = Change(newValue: wanted(.new, new), oldValue: oldValue, isPrior: false)
        let prior = Change(newValue: nil, oldValue: oldValue, isPrior: true)
        let changes = options.contains(.prior) ? [prior, change] : [change]
        return [
            .on(queue) { [weak manager] in self.notify(changes, to: manager, session: session) }
        ]
    }

    private func wanted(_ option: ReachabilityObservingOptions, _ value: Value) -> Value? {
        options.contains(option) ? value : nil
    }

    /// Runs on the queue.
    private func notify(
        _ changes: [Change], to manager: NetworkReachabilityManager?, session: MonitoringSession?
    ) {
        for change in changes {
            guard let manager, session?.isEnded != true,
                let handler = held.withLock({ $0.handler })
            else { return }
            handler(manager, change)
        }
    }
}
