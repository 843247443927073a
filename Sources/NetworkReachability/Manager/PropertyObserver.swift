// SPDX-License-Identifier: MIT

internal import Dispatch

/// Counters of the changes of a manager's properties; an observer compares them with the ones that it saw
/// last.
struct Versions: Equatable, Sendable {
    var snapshot = 0
    var status = 0

    func version(of part: ReportedPart) -> Int {
        part == .status ? status : snapshot
    }
}

/// The observer of one key path.
final class KeyPathObserver<Value: Sendable>: ManagerSubscriber {
    typealias Handler = ObservationHandler<NetworkReachabilityManager, Value>
    typealias Path = any KeyPath<NetworkReachabilityManager, Value> & Sendable

    private struct Known: Sendable {
        var value: Value
        var version: Int
    }

    let kind = SubscriberKind.observer
    let part: ReportedPart
    private let keyPath: Path
    private let queue: CallQueue
    private let handler: Handler
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
        part = ofStatus.contains(keyPath) ? .status : .everything
        known = Lock(Known(value: value, version: versions.version(of: part)))
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
        let version = report.versions.version(of: part)
        guard known.withLock({ $0.version != version }) else { return nil }
        let new = report.manager[keyPath: keyPath]
        let old = known.withLock { known in
            defer { known = Known(value: new, version: version) }
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
