// SPDX-License-Identifier: MIT

internal import SystemServices

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
