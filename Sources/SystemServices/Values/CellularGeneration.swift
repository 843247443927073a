// SPDX-License-Identifier: MIT

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
