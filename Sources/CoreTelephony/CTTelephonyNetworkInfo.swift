// SPDX-License-Identifier: MIT

package import CellularRadio
internal import Foundation
internal import NetworkReachability

/// The radio access technologies in use, with the names of CoreTelephony.
///
///     let info = CTTelephonyNetworkInfo()
///     if let service = info.dataServiceIdentifier,
///         info.serviceCurrentRadioAccessTechnology?[service] == CTRadioAccessTechnologyLTE
///     {
///         print("LTE")
///     }
///
/// A service is a modem of ModemManager, and its identifier the D-Bus object path. What is needed on the
/// host is told in the documentation of `CellularRadio`; without it there is no service, and no error.
///
/// While there is no answer yet a read waits for one, a second at most: some milliseconds after the first
/// object was created, and up to 10 s where the bus or ModemManager is silent. While an object exists,
/// changes are posted to the default notification centre, on the main queue:
/// `NSNotification.Name.CTServiceRadioAccessTechnologyDidChange`. Can be used from any thread.
public final class CTTelephonyNetworkInfo: Sendable {
    private struct State {
        weak var delegate: (any CTTelephonyNetworkInfoDelegate)?
        /// The identifier that the delegate knows.
        var dataService: String?
        var hasState = false
    }

    let radio: CellularRadio
    private let notifier: RadioNotifier
    private let state = Lock(State())
    private let listener = Lock<CellularRadioListener?>(nil)

    /// Creates an object that watches the modems of the machine.
    public convenience init() {
        self.init(radio: .shared)
    }

    package init(radio: CellularRadio) {
        self.radio = radio
        notifier = RadioNotifier.of(radio)
        let listener = radio.addListener(queue: .main) { [weak self] in self?.receive($0) }
        self.listener.withLock { $0 = listener }
    }

    deinit {
        listener.withLock { $0 }?.cancel()
    }

    /// The technology of each service that is registered with a network: a `CTRadioAccessTechnology…`
    /// constant by the identifier of the service; nil if there is none.
    public var serviceCurrentRadioAccessTechnology: [String: String]? {
        let technologies = radio.currentState().radioAccessTechnologies
        return technologies.isEmpty ? nil : technologies
    }

    /// The technology of the service that provides data; nil if there is none.
    ///
    /// Deprecated by Apple in favour of ``serviceCurrentRadioAccessTechnology``.
    public var currentRadioAccessTechnology: String? {
        let state = radio.currentState()
        return state.dataService.flatMap { state.radioAccessTechnologies[$0] }
    }

    /// The identifier of the service that provides data, or would if it were connected: the first modem
    /// that is connected, else the first that is registered; nil if there is none.
    public var dataServiceIdentifier: String? {
        radio.currentState().dataService
    }

    /// Called on the main queue when ``dataServiceIdentifier`` changes; not retained.
    public var delegate: (any CTTelephonyNetworkInfoDelegate)? {
        get { state.withLock { $0.delegate } }
        set { state.withLock { $0.delegate = newValue } }
    }

    private func receive(_ new: CellularRadioState) {
        let service = new.dataService
        let delegate = state.withLock { state -> (any CTTelephonyNetworkInfoDelegate)? in
            defer {
                state.dataService = service
                state.hasState = true
            }
            return state.hasState && service != state.dataService ? state.delegate : nil
        }
        if let service { delegate?.dataServiceIdentifierDidChange(service) }
    }
}

/// The delegate of a ``CTTelephonyNetworkInfo``.
///
///     final class DataService: CTTelephonyNetworkInfoDelegate {
///         func dataServiceIdentifierDidChange(_ identifier: String) {
///             print("data over \(identifier)")
///         }
///     }
///     let delegate = DataService()
///     let info = CTTelephonyNetworkInfo()
///     info.delegate = delegate
public protocol CTTelephonyNetworkInfoDelegate: AnyObject, Sendable {
    /// Another service provides data.
    ///
    /// - Parameter identifier: Its identifier.
    func dataServiceIdentifierDidChange(_ identifier: String)
}

extension CTTelephonyNetworkInfoDelegate {
    /// Does nothing.
    public func dataServiceIdentifierDidChange(_ identifier: String) {}
}

extension CellularRadioState {
    /// Constants of CoreTelephony by service.
    var radioAccessTechnologies: [String: String] {
        let services = modems.filter(\.isRegistered).compactMap { modem in
            modem.technology.map { (modem.id, $0.radioAccessTechnology) }
        }
        return Dictionary(services) { first, _ in first }
    }

    var dataService: String? {
        (dataModem ?? modems.first(where: \.isRegistered))?.id
    }
}

/// Posts the notifications of a radio, once however many objects there are.
final class RadioNotifier: Sendable {
    private struct Reference: Sendable {
        weak var notifier: RadioNotifier?
    }

    private static let all = Lock<[ObjectIdentifier: Reference]>([:])

    private let radio: CellularRadio
    private let listener = Lock<CellularRadioListener?>(nil)
    /// Technologies that were posted; nil before the first state.
    private let known = Lock<[String: String]?>(nil)

    private init(_ radio: CellularRadio) {
        self.radio = radio
    }

    static func of(_ radio: CellularRadio) -> RadioNotifier {
        let key = ObjectIdentifier(radio)
        let (notifier, isNew) = all.withLock { all in
            if let notifier = all[key]?.notifier { return (notifier, false) }
            let new = RadioNotifier(radio)
            all[key] = Reference(notifier: new)
            return (new, true)
        }
        if isNew { notifier.start() }
        return notifier
    }

    private func start() {
        let new = radio.addListener(queue: .main) { [weak self] in self?.receive($0) }
        listener.withLock { $0 = new }
    }

    deinit {
        listener.withLock { $0 }?.cancel()
    }

    private func receive(_ state: CellularRadioState) {
        let new = state.radioAccessTechnologies
        let changed = known.withLock { known -> [String] in
            defer { known = new }
            guard let old = known else { return [] }
            return Set(old.keys).union(new.keys).filter { old[$0] != new[$0] }.sorted()
        }
        for service in changed {
            NotificationCenter.default.post(
                name: .CTServiceRadioAccessTechnologyDidChange, object: service)
            NotificationCenter.default.post(
                name: .CTRadioAccessTechnologyDidChange, object: service)
        }
    }
}
