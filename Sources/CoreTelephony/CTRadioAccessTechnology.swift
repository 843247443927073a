// SPDX-License-Identifier: MIT

public import SystemServices

// Constants of CoreTelephony: the names and the values are Apple's.

// swift-format-ignore: AlwaysUseLowerCamelCase
/// GPRS; also GSM without packet data, for which Apple has no constant.
public let CTRadioAccessTechnologyGPRS = "CTRadioAccessTechnologyGPRS"

// swift-format-ignore: AlwaysUseLowerCamelCase
/// EDGE.
public let CTRadioAccessTechnologyEdge = "CTRadioAccessTechnologyEdge"

// swift-format-ignore: AlwaysUseLowerCamelCase
/// WCDMA, the radio part of UMTS.
public let CTRadioAccessTechnologyWCDMA = "CTRadioAccessTechnologyWCDMA"

// swift-format-ignore: AlwaysUseLowerCamelCase
/// HSDPA.
public let CTRadioAccessTechnologyHSDPA = "CTRadioAccessTechnologyHSDPA"

// swift-format-ignore: AlwaysUseLowerCamelCase
/// HSUPA; also HSPA and HSPA+, which contain it.
public let CTRadioAccessTechnologyHSUPA = "CTRadioAccessTechnologyHSUPA"

// swift-format-ignore: AlwaysUseLowerCamelCase
/// CDMA 1x.
public let CTRadioAccessTechnologyCDMA1x = "CTRadioAccessTechnologyCDMA1x"

// swift-format-ignore: AlwaysUseLowerCamelCase
/// EV-DO revision 0.
public let CTRadioAccessTechnologyCDMAEVDORev0 = "CTRadioAccessTechnologyCDMAEVDORev0"

// swift-format-ignore: AlwaysUseLowerCamelCase
/// EV-DO revision A.
public let CTRadioAccessTechnologyCDMAEVDORevA = "CTRadioAccessTechnologyCDMAEVDORevA"

// swift-format-ignore: AlwaysUseLowerCamelCase
/// EV-DO revision B.
public let CTRadioAccessTechnologyCDMAEVDORevB = "CTRadioAccessTechnologyCDMAEVDORevB"

// swift-format-ignore: AlwaysUseLowerCamelCase
/// eHRPD; never reported, because ModemManager doesn't distinguish it from EV-DO.
public let CTRadioAccessTechnologyeHRPD = "CTRadioAccessTechnologyeHRPD"

// swift-format-ignore: AlwaysUseLowerCamelCase
/// LTE; also LTE-M and NB-IoT.
public let CTRadioAccessTechnologyLTE = "CTRadioAccessTechnologyLTE"

// swift-format-ignore: AlwaysUseLowerCamelCase
/// 5G NR that depends on LTE (non-standalone).
public let CTRadioAccessTechnologyNRNSA = "CTRadioAccessTechnologyNRNSA"

// swift-format-ignore: AlwaysUseLowerCamelCase
/// 5G NR without LTE (standalone).
public let CTRadioAccessTechnologyNR = "CTRadioAccessTechnologyNR"

extension CellularTechnology {
    /// CoreTelephony's constant that comes closest to the technology.
    public var radioAccessTechnology: String {
        switch self {
        case .gsm, .gsmCompact, .gprs: CTRadioAccessTechnologyGPRS
        case .edge: CTRadioAccessTechnologyEdge
        case .cdma1x: CTRadioAccessTechnologyCDMA1x
        case .umts: CTRadioAccessTechnologyWCDMA
        case .hsdpa: CTRadioAccessTechnologyHSDPA
        case .hsupa, .hspa, .hspaPlus: CTRadioAccessTechnologyHSUPA
        case .evdoRev0: CTRadioAccessTechnologyCDMAEVDORev0
        case .evdoRevA: CTRadioAccessTechnologyCDMAEVDORevA
        case .evdoRevB: CTRadioAccessTechnologyCDMAEVDORevB
        case .lte, .lteM, .nbIoT: CTRadioAccessTechnologyLTE
        case .nrNonStandalone: CTRadioAccessTechnologyNRNSA
        case .nr: CTRadioAccessTechnologyNR
        }
    }
}

/// The generation of each constant, and the connection's text where it differs from the generation's name.
let generations: [String: (generation: CellularGeneration, text: String?)] = [
    CTRadioAccessTechnologyCDMA1x: (.second, nil),
    CTRadioAccessTechnologyGPRS: (.secondAndHalf, "GPRS"),
    CTRadioAccessTechnologyEdge: (.secondAndHalf, "2.75G EDGE"),
    CTRadioAccessTechnologyWCDMA: (.third, nil),
    CTRadioAccessTechnologyHSDPA: (.third, "3.5G HSDPA"),
    CTRadioAccessTechnologyHSUPA: (.third, "3.5G HSUPA"),
    CTRadioAccessTechnologyCDMAEVDORev0: (.third, nil),
    CTRadioAccessTechnologyCDMAEVDORevA: (.third, nil),
    CTRadioAccessTechnologyCDMAEVDORevB: (.third, nil),
    CTRadioAccessTechnologyeHRPD: (.third, "HRPD"),
    CTRadioAccessTechnologyLTE: (.fourth, nil),
    CTRadioAccessTechnologyNRNSA: (.fifthNonStandalone, nil),
    CTRadioAccessTechnologyNR: (.fifth, nil),
]

extension CellularGeneration {
    /// The generation of a constant of CoreTelephony, such as ``CTRadioAccessTechnologyLTE``.
    ///
    /// - Parameter technology: The constant; the result is nil for any other text.
    public init?(radioAccessTechnology technology: String) {
        guard let known = generations[technology] else { return nil }
        self = known.generation
    }
}
