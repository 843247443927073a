// SPDX-License-Identifier: MIT

internal import SystemServices
internal import Dispatch
public import Foundation
internal import NetworkReachability

/// The operators and radio access technologies in use, with the names of CoreTelephony.
///
///     let info = CTTelephonyNetworkInfo()
///     if let service = info.dataServiceIdentifier,
///         info.serviceCurrentRadioAccessTechnology?[service] == CTRadioAccessTechnologyLTE
///     {
///         print("LTE")
///     }
///
/// A service is a modem of ModemManager, and its identifier the D-Bus object path. The documentation of
/// `SystemServices` lists what the host needs. Without it there is no service, and no error.
///
/// The first read waits for ModemManager's answer, which takes some milliseconds. While ModemManager is silent
/// it waits a second, and all later reads in the process return at once, with no service, until it
/// answers.
///
/// While an object exists, changes are posted to the default notification center, on the main queue:
/// `NSNotification.Name.CTServiceRadioAccessTechnologyDidChange`. Changes are counted from what you read
/// first. All properties can be used from any thread.
open class CTTelephonyNetworkInfo: NSObject {
    /// The application's objects, which need not be Sendable.
    private struct Callees {
        weak var delegate: (any CTTelephonyNetworkInfoDelegate)?
        var carrier: (@Sendable (CTCarrier) -> Void)?
        var services: (@Sendable (String) -> Void)?
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

    // Not `package`: no other module could have a subclass then (Swift 6.3).
    init(radio: CellularRadio) {
        self.radio = radio
        changes = Self.follow(radio, callees)
        super.init()
    }

    /// The technology of each service that is registered with a network: a `CTRadioAccessTechnology…`
    /// constant by the identifier of the service; nil if there is none.
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

    /// The identifier of the service that provides data, or would if it were connected: the first modem
    /// that is connected, else the first that is registered; nil if there is none.
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

    /// Called on the main queue when ``dataServiceIdentifier`` changes; not retained.
    open var delegate: (any CTTelephonyNetworkInfoDelegate)? {
        get {
            var delegate: (any CTTelephonyNetworkInfoDelegate)?
            callees.withLock { delegate = $0.delegate }
            return delegate
        }
        set { callees.withLock { $0.delegate = newValue } }
    }

    /// Called with the identifier of a service when its operator changes, or when the service appears or
    /// goes; on a global queue of the default priority, one call at a time.
    @preconcurrency
    open var serviceSubscriberCellularProvidersDidUpdateNotifier: (@Sendable (String) -> Void)? {
        get { callees.withLock { $0.services } }
        set {
            // The old one is released after the lock.
            var other = newValue
            callees.withLock { swap(&$0.services, &other) }
        }
    }

    /// Called when ``subscriberCellularProvider`` changes, with an object without values if there is none any
    /// more; on a global queue of the default priority, one call at a time.
    ///
    /// Deprecated by Apple in favor of ``serviceSubscriberCellularProvidersDidUpdateNotifier``.
    @preconcurrency
    open var subscriberCellularProviderDidUpdateNotifier: (@Sendable (CTCarrier) -> Void)? {
        get { callees.withLock { $0.carrier } }
        set {
            var other = newValue
            callees.withLock { swap(&$0.carrier, &other) }
        }
    }

    private var state: CellularRadioState {
        let state = radio.currentState(timeout: .seconds(1))
        for change in changes { change.begin(with: state) }
        return state
    }

    private static func follow(_ radio: CellularRadio, _ callees: Lock<Callees>) -> [RadioChanges] {
        let delegates = RadioChanges { old, new in
            guard let service = new.dataService, service != old.dataService else { return }
            var delegate: (any CTTelephonyNetworkInfoDelegate)?
            callees.withLock { delegate = $0.delegate }
            delegate?.dataServiceIdentifierDidChange(service)
        }
        let notifiers = RadioChanges { old, new in
            let (services, carrier) = callees.withLock { ($0.services, $0.carrier) }
            if let services { changedKeys(old.carriers, new.carriers).forEach(services) }
            if let carrier, old.carrier != new.carrier { carrier(new.carrier ?? CTCarrier()) }
        }
        let posting = RadioChanges.posting(radio)
        delegates.start(radio, on: .main)
        notifiers.start(
            radio, on: DispatchQueue(label: "CTTelephonyNetworkInfo", target: .global()))
        return [posting, delegates, notifiers]
    }
}
