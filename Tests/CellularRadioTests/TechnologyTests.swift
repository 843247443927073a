// SPDX-License-Identifier: MIT
import AppleReachability
import Testing

@Suite("Technologies")
struct TechnologyTests {
    /// Bits of MMModemAccessTechnology, and what each alone means.
    static let bits: [(Int, CellularTechnology, CellularGeneration, String, String)] = [
        (1, .gsm, .second, "2G", "GPRS"), (2, .gsmCompact, .second, "2G", "GPRS"),
        (3, .gprs, .secondAndHalf, "2.5G", "GPRS"), (4, .edge, .secondAndHalf, "2.75G", "Edge"),
        (5, .umts, .third, "3G", "WCDMA"), (6, .hsdpa, .third, "3.5G", "HSDPA"),
        (7, .hsupa, .third, "3.5G", "HSUPA"), (8, .hspa, .third, "3.5G", "HSUPA"),
        (9, .hspaPlus, .third, "3.75G", "HSUPA"), (10, .cdma1x, .second, "2G", "CDMA1x"),
        (11, .evdoRev0, .third, "3G", "CDMAEVDORev0"),
        (12, .evdoRevA, .third, "3G", "CDMAEVDORevA"),
        (13, .evdoRevB, .third, "3G", "CDMAEVDORevB"), (14, .lte, .fourth, "4G", "LTE"),
        (15, .nr, .fifth, "5G", "NR"), (16, .lteM, .fourth, "4G", "LTE"),
        (17, .nbIoT, .fourth, "4G", "LTE"),
    ]

    @Test("each bit of ModemManager", arguments: bits)
    func bit(
        bit: Int, technology: CellularTechnology, generation: CellularGeneration, fine: String,
        constant: String
    ) {
        let found = CellularTechnology(accessTechnologies: 1 << bit)
        #expect(found == technology)
        #expect(found?.generation == generation)
        #expect(found?.fineGenerationName == fine)
        #expect(found?.radioAccessTechnology == "CTRadioAccessTechnology\(constant)")
    }

    @Test("every technology is that of a bit, or of two")
    func all() {
        let found = Set(Self.bits.map(\.1)).union([.nrNonStandalone])
        #expect(found == Set(CellularTechnology.allCases))
        #expect(
            CellularTechnology.nrNonStandalone.radioAccessTechnology
                == "CTRadioAccessTechnologyNRNSA")
    }

    @Test(
        "of several bits the highest generation counts",
        arguments: [
            ([14, 15], CellularTechnology.nrNonStandalone), ([15, 5], .nr), ([14, 9, 1], .lte),
            ([6, 7], .hspa), ([6, 7, 5], .hspa), ([6, 7, 9], .hspaPlus), ([6, 7, 14], .lte),
            ([6, 7, 15], .nr), ([6, 7, 16], .lteM), ([4, 3], .edge), ([5, 4], .umts),
            ([10, 12, 11], .evdoRevA), ([17, 16], .lteM), ([14, 15, 25], .nrNonStandalone),
            ([6, 7, 18], .hspa), ([6, 7, 31], .hspa),
        ])
    func several(bits: [Int], technology: CellularTechnology) {
        let mask = bits.reduce(UInt32(0)) { $0 | 1 << $1 }
        #expect(CellularTechnology(accessTechnologies: mask) == technology)
    }

    @Test(
        "none: no bit, analogue telephony, an unknown bit, any", arguments: [0, 1, 1 << 20, .max])
    func unknown(mask: UInt32) {
        #expect(CellularTechnology(accessTechnologies: mask) == nil)
    }

    @Test("no mask has a generation below that of one of its bits")
    func everyMask() {
        func number(_ mask: UInt32) -> Int {
            CellularTechnology(accessTechnologies: mask)?.generation.number ?? 0
        }
        let single = (0..<18).map { number(1 << UInt32($0)) }
        var wrong: UInt32?
        for mask in UInt32(0)..<1 << 18 {
            var best = 0
            for bit in 0..<18 where mask >> UInt32(bit) & 1 == 1 { best = max(best, single[bit]) }
            if number(mask) != best { wrong = mask }
        }
        #expect(wrong == nil)
    }

    /// Apple's constants: value, whole generation, and the text that people read.
    static let constants: [(String, String, Int, String)] = [
        (CTRadioAccessTechnologyGPRS, "GPRS", 2, "GPRS"),
        (CTRadioAccessTechnologyEdge, "Edge", 2, "2.75G EDGE"),
        (CTRadioAccessTechnologyWCDMA, "WCDMA", 3, "3G"),
        (CTRadioAccessTechnologyHSDPA, "HSDPA", 3, "3.5G HSDPA"),
        (CTRadioAccessTechnologyHSUPA, "HSUPA", 3, "3.5G HSUPA"),
        (CTRadioAccessTechnologyCDMA1x, "CDMA1x", 2, "2G"),
        (CTRadioAccessTechnologyCDMAEVDORev0, "CDMAEVDORev0", 3, "3G"),
        (CTRadioAccessTechnologyCDMAEVDORevA, "CDMAEVDORevA", 3, "3G"),
        (CTRadioAccessTechnologyCDMAEVDORevB, "CDMAEVDORevB", 3, "3G"),
        (CTRadioAccessTechnologyeHRPD, "eHRPD", 3, "HRPD"),
        (CTRadioAccessTechnologyLTE, "LTE", 4, "4G"),
        (CTRadioAccessTechnologyNRNSA, "NRNSA", 5, "5G NSA"),
        (CTRadioAccessTechnologyNR, "NR", 5, "5G"),
    ]

    @Test("each constant of CoreTelephony", arguments: constants)
    func constant(value: String, name: String, generation: Int, text: String) {
        #expect(value == "CTRadioAccessTechnology\(name)")
        #expect(CellularGeneration(radioAccessTechnology: value)?.number == generation)
        #expect(
            CTTelephonyNetworkInfo.connectionTypeDescription(forTechnology: value) == text)
    }

    @Test("generations are in order, and other texts are none")
    func generations() {
        #expect(CellularGeneration.allCases == CellularGeneration.allCases.sorted())
        #expect(CellularGeneration(radioAccessTechnology: "LTE") == nil)
        #expect(CTTelephonyNetworkInfo.connectionTypeDescription(forTechnology: nil) == "Cellular")
    }
}
