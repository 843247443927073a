// SPDX-License-Identifier: MIT

internal import Dispatch
@_exported public import Foundation
internal import NetworkReachability
internal import SystemServices

/// The operators and radio access technologies in use, with the names of CoreTelephony.
///
///     let info = CTTelephonyNetworkInfo()
///     if let service = info.dataServiceIdentifier,
///         info.serviceCurrentRadioAccessTechnology?[service] == CTRadioAccessTechnologyLTE
///     {
///         print("LTE")
///     }
///
/// Each modem of ModemManager is a service. Its identifier is the D-Bus object path. The documentation of
/// `SystemServices` lists the requirements. If the host doesn't meet them, there are no services, and no error.
///
/// The first read waits for ModemManager's answer, which takes some milliseconds. If ModemManager stays silent, the
/// read ends after a second. Later reads in the process then return at once, without services, until it answers.
///
/// While an object exists, it posts `NSNotification.Name.CTServiceRadioAccessTechnologyDidChange` to the default
/// notification center, on the main queue. The first change is relative to the values that you read first. Any
/// thread may use the properties.
open class CTTelephonyNetworkInfo: NSObject {
    /// The application's objects, which needn't be Sendable.
    fileprivate struct Callees {
        weak var delegate: (any CTTelephonyNetworkInfoDelegate)?
        var carrier: ((CTCarrier) -> Void)?
        var services: ((String) -> Void)?
    }

    let radio: CellularRadio
    private let callees = Lock(Callees())
    private let changes: [RadioChanges]

    /// Creates an object that watches the modems of the machine.
    public override init() {
        radio = .shared
        changes = Self.follow(.shared, callees)
        super.init()
    }

    // Not `package`: other modules couldn't have subclasses then (Swift 6.3).
    init(radio: CellularRadio) {
        self.radio = radio
        changes = Self.follow(radio, callees)
        super.init()
    }

    /// The `CTRadioAccessTechnology…` constant of each service that is registered with a network, by identifier; nil
    /// if there is none.
    open var serviceCurrentRadioAccessTechnology: [String: String]? {
        let technologies = state.radioAccessTechnologies
        return technologies.isEmpty ? nil : technologies
    }

    /// The technology of the service that provides data; nil if there is none.
    ///
    /// Deprecated by Apple in favor of ``serviceCurrentRadioAccessTechnology``.
    open var currentRadioAccessTechnology: String? {
        let state = state
        return state.dataService.flatMap { state.radioAccessTechnologies[$0] }
    }

    /// The identifier of the data service: the first connected modem, else the first registered one; nil if there is
    /// none.
    open var dataServiceIdentifier: String? { state.dataService }

    /// The operator of each service by its identifier; nil if there is no modem.
    ///
    /// A modem without a network has a ``CTCarrier`` whose name and codes are nil. Deprecated by Apple without
    /// a replacement.
    open var serviceSubscriberCellularProviders: [String: CTCarrier]? {
        let carriers = state.carriers
        return carriers.isEmpty ? nil : carriers
    }

    /// The operator of the service that provides data, else of the first modem; nil if there is no modem.
    ///
    /// Deprecated by Apple in favor of ``serviceSubscriberCellularProviders``.
    open var subscriberCellularProvider: CTCarrier? { state.carrier }

    /// Called on the main queue when another service provides data, not when none does; not retained.
    open var delegate: (any CTTelephonyNetworkInfoDelegate)? {
        get { callees.copy.delegate }
        set { callees.change { $0.delegate = newValue } }
    }

    /// Called with the identifier of a service when its operator changes, or when the service appears or disappears.
    ///
    /// Calls run on a global queue of the default priority, one at a time: a closure must not assume the main actor.
    open var serviceSubscriberCellularProvidersDidUpdateNotifier: ((String) -> Void)? {
        get { callees.copy.services }
        set { callees.change { $0.services = newValue } }
    }

    /// Called when ``subscriberCellularProvider`` changes, with an empty object if the last modem is gone.
    ///
    /// Calls run on a global queue of the default priority, one at a time: a closure must not assume the main actor.
    /// Deprecated by Apple in favor of ``serviceSubscriberCellularProvidersDidUpdateNotifier``.
    open var subscriberCellularProviderDidUpdateNotifier: ((CTCarrier) -> Void)? {
        get { callees.copy.carrier }
        set { callees.change { $0.carrier = newValue } }
    }

    private var state: CellularRadioState {
        let state = radio.currentState(timeout: .seconds(1))
        for change in changes { change.begin(with: state) }
        return state
    }

    private static func follow(_ radio: CellularRadio, _ callees: Lock<Callees>) -> [RadioChanges] {
        let delegates = RadioChanges { old, new in
            guard let service = new.dataService, service != old.dataService else { return }
            callees.copy.delegate?.dataServiceIdentifierDidChange(service)
        }
        let notifiers = RadioChanges { old, new in
            let callees = callees.copy
            if let services = callees.services {
                changedKeys(old.carriers, new.carriers).forEach(services)
            }
            guard old.carrier != new.carrier else { return }
            callees.carrier?(new.carrier ?? CTCarrier())
        }
        let posting = RadioChanges.posting(radio)
        delegates.start(radio, on: .main)
        notifiers.start(
            radio, on: DispatchQueue(label: "CTTelephonyNetworkInfo", target: .global()))
        return [posting, delegates, notifiers]
    }
}

extension Lock<CTTelephonyNetworkInfo.Callees> {
    /// A copy: its closures aren't Sendable, so they can't be results of `withLock`.
    fileprivate var copy: CTTelephonyNetworkInfo.Callees {
        var copy = CTTelephonyNetworkInfo.Callees()
        withLock { copy = $0 }
        return copy
    }

    fileprivate func change(_ change: (inout CTTelephonyNetworkInfo.Callees) -> Void) {
        // The old closure is released outside the lock.
        var old = CTTelephonyNetworkInfo.Callees()
        withLock {
            old = $0
            change(&$0)
        }
        withExtendedLifetime(old) {}
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
public protocol CTTelephonyNetworkInfoDelegate: AnyObject {
    /// Called on the main queue when another service provides data.
    ///
    /// - Parameter identifier: The identifier of the new service.
    func dataServiceIdentifierDidChange(_ identifier: String)
}

extension CTTelephonyNetworkInfoDelegate {
    /// Does nothing.
    public func dataServiceIdentifierDidChange(_ identifier: String) {}
}

extension NSNotification.Name {
    // Swift imports CoreTelephony's constants under these names.
    // swift-format-ignore: AlwaysUseLowerCamelCase
    /// Posted on the main queue when the radio access technology of a service has changed, while a
    /// ``CTTelephonyNetworkInfo`` exists.
    ///
    /// `object` is the identifier of the service, a `String`: the key in
    /// ``CTTelephonyNetworkInfo/serviceCurrentRadioAccessTechnology``, where a service that is no longer
    /// registered is missing.
    public static let CTServiceRadioAccessTechnologyDidChange = NSNotification.Name(
        "CTServiceRadioAccessTechnologyDidChangeNotification")

    // swift-format-ignore: AlwaysUseLowerCamelCase
    /// The older name, posted after `CTServiceRadioAccessTechnologyDidChange` with the same `object`.
    public static let CTRadioAccessTechnologyDidChange = NSNotification.Name(
        "CTRadioAccessTechnologyDidChangeNotification")
}
