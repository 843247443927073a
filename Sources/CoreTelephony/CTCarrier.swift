// SPDX-License-Identifier: MIT

internal import SystemServices
public import Foundation

/// A cellular operator.
///
///     let carriers = CTTelephonyNetworkInfo().serviceSubscriberCellularProviders ?? [:]
///     for carrier in carriers.values {
///         print(carrier.carrierName ?? "no network", carrier.isoCountryCode ?? "")
///     }
///
/// An object doesn't change. Read ``CTTelephonyNetworkInfo/serviceSubscriberCellularProviders`` again for the latest
/// values. Objects with equal values are equal.
///
/// On Apple's systems a carrier is the operator of the SIM card. ModemManager reports the network in use, which
/// differs while the modem is roaming.
open class CTCarrier: NSObject {
    private let modem: CellularModem?

    /// Creates a carrier without values; for subclasses in tests.
    public override init() {
        modem = nil
        super.init()
    }

    init(_ modem: CellularModem?) {
        self.modem = modem
        super.init()
    }

    /// The name of the operator; nil if it isn't known, for example without a network.
    open var carrierName: String? { modem?.operatorName }

    /// The mobile country code, three digits, for example `262`; nil if it isn't known.
    open var mobileCountryCode: String? {
        modem?.operatorCode.map { String($0.prefix(3)) }
    }

    /// The mobile network code, two or three digits, for example `01`; nil if it isn't known.
    open var mobileNetworkCode: String? {
        modem?.operatorCode.map { String($0.dropFirst(3)) }
    }

    /// The country of ``mobileCountryCode`` as ISO 3166-1 code in lower case, for example `de`; nil if it isn't
    /// known, and for international networks.
    ///
    /// Territories that share a mobile country code have the ISO code of the largest.
    open var isoCountryCode: String? {
        mobileCountryCode.flatMap(isoCountry(forMobileCountryCode:))
    }

    /// Whether the operator allows calls over the internet; always true, because ModemManager doesn't report it.
    open var allowsVOIP: Bool { true }

    private var values: [String?] {
        [carrierName, mobileCountryCode, mobileNetworkCode, isoCountryCode, "\(allowsVOIP)"]
    }

    /// Whether the other object is a carrier with the same values.
    open override func isEqual(_ object: Any?) -> Bool {
        (object as? CTCarrier)?.values == values
    }

    /// Hashes the values; equal carriers have equal hashes.
    open override var hash: Int { values.hashValue }

    /// The name and the codes, for example `Example (262 01, de)`.
    open override var description: String {
        let codes = [mobileCountryCode, mobileNetworkCode].compactMap(\.self).joined(separator: " ")
        let details = [codes.isEmpty ? nil : codes, isoCountryCode].compactMap(\.self)
        return (carrierName ?? "unknown")
            + (details.isEmpty ? "" : " (\(details.joined(separator: ", ")))")
    }
}
