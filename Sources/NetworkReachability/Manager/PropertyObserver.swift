// SPDX-License-Identifier: MIT

internal import Dispatch

/// Counters of the changes of a manager's properties; an observer compares them with the ones that it saw
/// last.
struct Versions: Equatable, Sendable {
    var snapshot = 0
    var status = 0
}

/// An observer of one property, whatever its type.
protocol PropertyObserver: AnyObject, Sendable {
    func invalidate()

    /// Reports the property if it has changed since the last call. Called by the loop.
    func look(
        at manager: NetworkReachabilityManager, versions: Versions, session: MonitoringSession?
    ) -> [Delivery]
}

/// The observer of one key path.
final class KeyPathObserver<Value: Sendable>: PropertyObserver {
    typealias Handler = ObservationHandler<NetworkReachabilityManager, Value>
    typealias Path = any KeyPath<NetworkReachabilityManager, Value> & Sendable

    private struct Known: Sendable {
        var value: Value
        var version: Int
    }

    private let keyPath: Path
    private let queue: CallQueue
    private let handler: Handler
    private let followsStatus: Bool
    private let known: Lock<Known>

    /// `value` is the value of the property at `versions`.
    init(
        keyPath: Path, queue: DispatchQueue, handler: Handler, value: Value, versions: Versions
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
        followsStatus = ofStatus.contains(keyPath)
        let version = followsStatus ? versions.status : versions.snapshot
        known = Lock(Known(value: value, version: version))
    }

    func invalidate() {
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
        return [
            .call(on: queue) { [weak manager, handler] in
                guard let manager, !session.isEnded else { return }
                if handler.options.contains(.prior) {
                    handler.call(manager, new: nil, old: old, isPrior: true)
                }
                // The handler may have stopped the manager.
                guard !session.isEnded else { return }
                handler.call(manager, new: new, old: old)
            }
        ]
    }
}
