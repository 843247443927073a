// SPDX-License-Identifier: MIT

/// A radio access technology.
///
///     let technology = CellularRadio.shared.currentState(timeout: .seconds(1)).dataModem?.technology
///     print(technology?.rawValue ?? "none", technology?.fineGenerationName ?? "")
public enum CellularTechnology: String, Hashable, Sendable, CaseIterable, Codable {
    /// GSM without packet data.
    case gsm = "GSM"
    /// GSM in its compact form.
    case gsmCompact = "GSM Compact"
    /// GPRS.
    case gprs = "GPRS"
    /// EDGE, also called EGPRS.
    case edge = "EDGE"
    /// CDMA2000 1x, also called 1xRTT.
    case cdma1x = "CDMA 1x"
    /// UMTS; its radio part is WCDMA.
    case umts = "UMTS"
    /// HSDPA.
    case hsdpa = "HSDPA"
    /// HSUPA.
    case hsupa = "HSUPA"
    /// HSPA: HSDPA and HSUPA.
    case hspa = "HSPA"
    /// HSPA+.
    case hspaPlus = "HSPA+"
    /// CDMA2000 EV-DO revision 0.
    case evdoRev0 = "EV-DO Rev. 0"
    /// CDMA2000 EV-DO revision A.
    case evdoRevA = "EV-DO Rev. A"
    /// CDMA2000 EV-DO revision B.
    case evdoRevB = "EV-DO Rev. B"
    /// LTE.
    case lte = "LTE"
    /// LTE-M (LTE Cat-M1).
    case lteM = "LTE-M"
    /// NB-IoT.
    case nbIoT = "NB-IoT"
    /// 5G NR that depends on LTE (non-standalone).
    case nrNonStandalone = "NR NSA"
    /// 5G NR without LTE (standalone).
    case nr = "NR"

    /// Creates the best technology in ModemManager's `AccessTechnologies`.
    ///
    /// The highest generation wins, then the fastest technology within it. NR together with LTE is
    /// non-standalone, HSDPA together with HSUPA is HSPA. The result is nil for a mask without a known bit, and
    /// for `MM_MODEM_ACCESS_TECHNOLOGY_ANY`, which has all bits.
    ///
    /// - Parameter mask: Bits of `MMModemAccessTechnology`.
    public init?(accessTechnologies mask: UInt32) {
        guard mask != .max else { return nil }
        func has(_ bits: Int...) -> Bool { bits.allSatisfy { mask >> UInt32($0) & 1 == 1 } }
        if has(15, 14) {
            self = .nrNonStandalone
        } else if has(6, 7), !has(8), !has(9), mask >> 14 & 0xf == 0 {
            self = .hspa
        } else if let known = Self.byRank.first(where: { has($0.bit) }) {
            self = known.technology
        } else {
            return nil
        }
    }

    /// Bits of `MMModemAccessTechnology`, the best technology first.
    private static let byRank: [(bit: Int, technology: CellularTechnology)] = [
        (15, .nr), (14, .lte), (16, .lteM), (17, .nbIoT), (9, .hspaPlus), (8, .hspa), (7, .hsupa),
        (6, .hsdpa), (13, .evdoRevB), (12, .evdoRevA), (11, .evdoRev0), (5, .umts), (4, .edge),
        (3, .gprs), (10, .cdma1x), (1, .gsm), (2, .gsmCompact),
    ]

    /// The generation.
    public var generation: CellularGeneration { generationAndName.0 }

    /// The generation with its fraction, as in marketing.
    ///
    /// `2.5G` for GPRS, `2.75G` for EDGE, `3.5G` for HSDPA, HSUPA, and HSPA, `3.75G` for HSPA+; for all others
    /// the name of the ``generation``.
    public var fineGenerationName: String { generationAndName.1 ?? generation.rawValue }

    private var generationAndName: (CellularGeneration, String?) {
        switch self {
        case .gsm, .gsmCompact, .cdma1x: (.second, nil)
        case .gprs: (.secondAndHalf, nil)
        case .edge: (.secondAndHalf, "2.75G")
        case .umts, .evdoRev0, .evdoRevA, .evdoRevB: (.third, nil)
        case .hsdpa, .hsupa, .hspa: (.third, "3.5G")
        case .hspaPlus: (.third, "3.75G")
        case .lte, .lteM, .nbIoT: (.fourth, nil)
        case .nrNonStandalone: (.fifthNonStandalone, nil)
        case .nr: (.fifth, nil)
        }
    }
}

extension CellularTechnology: CustomStringConvertible {
    /// The raw value, for example `LTE`.
    public var description: String { rawValue }
}

/// A generation of cellular networks; later ones are greater.
///
///     let modem = CellularRadio.shared.currentState(timeout: .seconds(1)).dataModem
///     if let generation = modem?.generation, generation < .fourth {
///         print("slow network: \(generation)")
///     }
///
/// The raw values are the usual names, for example `4G`.
public enum CellularGeneration: String, Hashable, Sendable, CaseIterable, Codable {
    /// GSM and CDMA 1x.
    case second = "2G"
    /// GPRS and EDGE.
    case secondAndHalf = "2.5G"
    /// UMTS, HSPA, and EV-DO.
    case third = "3G"
    /// LTE.
    case fourth = "4G"
    /// 5G NR that depends on LTE.
    case fifthNonStandalone = "5G NSA"
    /// 5G NR without LTE.
    case fifth = "5G"

    /// The whole number: 2, 3, 4, or 5.
    public var number: Int {
        switch self {
        case .second, .secondAndHalf: 2
        case .third: 3
        case .fourth: 4
        case .fifthNonStandalone, .fifth: 5
        }
    }
}

extension CellularGeneration: Comparable {
    /// Whether one generation is earlier than the other.
    public static func < (left: CellularGeneration, right: CellularGeneration) -> Bool {
        (allCases.firstIndex(of: left) ?? 0) < (allCases.firstIndex(of: right) ?? 0)
    }
}

extension CellularGeneration: CustomStringConvertible {
    /// The raw value, for example `4G`.
    public var description: String { rawValue }
}
