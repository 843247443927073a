// SPDX-License-Identifier: MIT

// Clients as they are written for Apple's systems, in Swift 5 mode. They use only the module that
// they import.

import CoreTelephony

/// Reads what it needs when something changes, and keeps it.
final class ConnectionDetails {
    private let info: CTTelephonyNetworkInfo
    private let lock = NSLock()
    private var service: String?
    private var technologies: [String: String]?
    private var carriers: [String: CTCarrier]?
    private var proxy: AnyObject?

    init(info: CTTelephonyNetworkInfo = CTTelephonyNetworkInfo()) {
        self.info = info
        update()
        let proxy = Proxy { [weak self] in self?.update() }
        info.delegate = proxy
        self.proxy = proxy
    }

    func update() {
        let service = info.dataServiceIdentifier
        let technologies = info.serviceCurrentRadioAccessTechnology
        let carriers = info.serviceSubscriberCellularProviders
        lock.lock()
        defer { lock.unlock() }
        self.service = service
        self.technologies = technologies
        self.carriers = carriers
    }

    var attributes: [String: String] {
        lock.lock()
        defer { lock.unlock() }
        guard let service, let technology = technologies?[service] else { return [:] }
        let carrier: CTCarrier? = carriers?[service]
        var attributes = ["type": technology]
        attributes["name"] = carrier?.carrierName
        attributes["country"] = carrier?.isoCountryCode
        attributes["mcc"] = carrier?.mobileCountryCode
        attributes["mnc"] = carrier?.mobileNetworkCode
        return attributes
    }
}

/// A delegate that calls a closure, which isn't Sendable.
private class Proxy: NSObject, CTTelephonyNetworkInfoDelegate {
    private let onUpdate: () -> Void

    init(onUpdate: @escaping () -> Void) {
        self.onUpdate = onUpdate
    }

    func dataServiceIdentifierDidChange(_ identifier: String) {
        onUpdate()
    }

    func serviceCurrentRadioAccessTechnologyDidChange(_ technologies: [String: String]) {
        onUpdate()
    }
}

/// Publishes a carrier when it changes.
struct CarrierPublisher {
    struct Carrier: Equatable {
        var name: String?
        var country: String?
        var allowsVOIP: Bool
    }

    let info: CTTelephonyNetworkInfo
    let initialValue: Carrier?

    init(info: CTTelephonyNetworkInfo = .init()) {
        self.info = info
        initialValue = Carrier(info, service: info.serviceCurrentRadioAccessTechnology?.keys.first)
    }

    func publish(to receiver: @escaping (Carrier?) -> Void) {
        info.serviceSubscriberCellularProvidersDidUpdateNotifier = { key in
            receiver(Carrier(self.info, service: key))
        }
        info.subscriberCellularProviderDidUpdateNotifier = { (carrier: CTCarrier) in
            receiver(Carrier(carrier))
        }
    }

    func cancel() {
        info.serviceSubscriberCellularProvidersDidUpdateNotifier = nil
        info.subscriberCellularProviderDidUpdateNotifier = nil
    }
}

extension CarrierPublisher.Carrier {
    init(_ carrier: CTCarrier) {
        self.init(
            name: carrier.carrierName, country: carrier.isoCountryCode,
            allowsVOIP: carrier.allowsVOIP)
    }

    init?(_ info: CTTelephonyNetworkInfo, service: String?) {
        guard let service, info.serviceCurrentRadioAccessTechnology?[service] != nil,
            let carrier = info.serviceSubscriberCellularProviders?[service]
        else { return nil }
        self.init(carrier)
    }
}

// MARK: Test doubles

final class CarrierDouble: CTCarrier {
    private let name: String?
    private let country: String?

    init(name: String?, country: String?) {
        self.name = name
        self.country = country
    }

    override var carrierName: String? { name }
    override var isoCountryCode: String? { country }
    override var mobileCountryCode: String? { "262" }
    override var mobileNetworkCode: String? { "01" }
    override var allowsVOIP: Bool { false }
}

class InfoDouble: CTTelephonyNetworkInfo {
    var technologies: [String: String]?
    var carriers: [String: CTCarrier]?

    init(technologies: [String: String], carriers: [String: CTCarrier]) {
        self.technologies = technologies
        self.carriers = carriers
    }

    override var dataServiceIdentifier: String? { technologies?.keys.first }
    override var serviceCurrentRadioAccessTechnology: [String: String]? { technologies }
    override var currentRadioAccessTechnology: String? { technologies?.values.first }
    override var serviceSubscriberCellularProviders: [String: CTCarrier]? { carriers }
    override var subscriberCellularProvider: CTCarrier? { carriers?.values.first }
}
