// SPDX-License-Identifier: MIT

internal import Dispatch
internal import Foundation
internal import NetworkReachability
internal import RunLoops
internal import SystemServices

/// Calls a closure with the states before and after each change of a radio; ends when it's released.
final class RadioChanges: Sendable {
    private struct Reference: Sendable {
        weak var changes: RadioChanges?
    }

    private static let posting = Lock<[ObjectIdentifier: Reference]>([:])

    /// The state that was last reported or read; nil before the first.
    private let known = Lock<CellularRadioState?>(nil)
    private let listener = Lock<ReachabilityListener?>(nil)
    private let call: @Sendable (_ old: CellularRadioState, _ new: CellularRadioState) -> Void

    /// - Parameter call: Called on the queue that is passed to ``start(_:on:)``.
    init(
        _ call: @escaping @Sendable (_ old: CellularRadioState, _ new: CellularRadioState) -> Void
    ) {
        self.call = call
    }

    deinit {
        listener.withLock { $0 }?.cancel()
    }

    func start(_ radio: CellularRadio, on queue: DispatchQueue) {
        let new = radio.addListener(queue: queue) { [weak self] in self?.receive($0) }
        listener.withLock { $0 = new }
    }

    /// Records a state that the application has read: the first change is relative to it.
    func begin(with state: CellularRadioState) {
        known.withLock { $0 = $0 ?? state }
    }

    private func receive(_ new: CellularRadioState) {
        let old = known.withLock { known -> CellularRadioState? in
            defer { known = new }
            return known
        }
        if let old { call(old, new) }
    }

    /// Posts the notifications of a radio: one per change, however many objects exist.
    static func posting(_ radio: CellularRadio) -> RadioChanges {
        let key = ObjectIdentifier(radio)
        let (changes, isNew) = posting.withLock { all in
            if let changes = all[key]?.changes { return (changes, false) }
            let new = RadioChanges(post)
            all[key] = Reference(changes: new)
            return (new, true)
        }
        if isNew { changes.start(radio, on: .main) }
        return changes
    }

    private static func post(_ old: CellularRadioState, _ new: CellularRadioState) {
        for service in changedKeys(old.radioAccessTechnologies, new.radioAccessTechnologies) {
            MainQueue.post {
                NotificationCenter.default.post(
                    name: .CTServiceRadioAccessTechnologyDidChange, object: service)
                NotificationCenter.default.post(
                    name: .CTRadioAccessTechnologyDidChange, object: service)
            }
        }
    }
}

extension CellularRadioState {
    /// Constants of CoreTelephony by service.
    var radioAccessTechnologies: [String: String] {
        let services = modems.filter(\.isRegistered).compactMap { modem in
            modem.technology.map { (modem.id, $0.radioAccessTechnology) }
        }
        return Dictionary(services) { first, _ in first }
    }

    /// Carriers by service, including those without values.
    var carriers: [String: CTCarrier] {
        Dictionary(modems.map { ($0.id, CTCarrier($0)) }) { first, _ in first }
    }

    /// The identifier of the service that provides data.
    var dataService: String? {
        (dataModem ?? modems.first(where: \.isRegistered))?.id
    }

    /// The carrier of the service that provides data, else of the first modem.
    var carrier: CTCarrier? {
        let modem = modems.first { $0.id == dataService } ?? modems.first
        return modem.map(CTCarrier.init)
    }
}

/// The keys whose values differ, in order.
func changedKeys<Value: Equatable>(_ old: [String: Value], _ new: [String: Value]) -> [String] {
    Set(old.keys).union(new.keys).filter { old[$0] != new[$0] }.sorted()
}
