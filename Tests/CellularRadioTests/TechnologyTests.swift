// SPDX-License-Identifier: MIT
import SystemServices
import Testing

@Suite("Technologies")
struct TechnologyTests {
    /// The bits of MMModemAccessTechnology, and the meaning of each.
    static let bits: [(Int, CellularTechnology, CellularGeneration, String)] = [
        (1, .gsm, .second, "2G"), (2, .gsmCompact, .second, "2G"),
        (3, .gprs, .secondAndHalf, "2.5G"), (4, .edge, .secondAndHalf, "2.75G"),
        (5, .umts, .third, "3G"), (6, .hsdpa, .third, "3.5G"),
        (7, .hsupa, .third, "3.5G"), (8, .hspa, .third, "3.5G"),
        (9, .hspaPlus, .third, "3.75G"), (10, .cdma1x, .second, "2G"),
        (11, .evdoRev0, .third, "3G"),
        (12, .evdoRevA, .third, "3G"),
        (13, .evdoRevB, .third, "3G"), (14, .lte, .fourth, "4G"),
        (15, .nr, .fifth, "5G"), (16, .lteM, .fourth, "4G"),
        (17, .nbIoT, .fourth, "4G"),
    ]

    @Test("Each bit of ModemManager has a technology and a generation", arguments: bits)
    func bit(
        bit: Int, technology: CellularTechnology, generation: CellularGeneration, fine: String
    ) {
        let found = CellularTechnology(accessTechnologies: 1 << bit)
        #expect(found == technology && found?.generation == generation)
        #expect(found?.fineGenerationName == fine)
    }

    @Test("Every technology has a bit, or a combination of two")
    func all() {
        let found = Set(Self.bits.map(\.1)).union([.nrNonStandalone])
        #expect(found == Set(CellularTechnology.allCases))
    }

    @Test(
        "Of several bits the highest generation counts",
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
        "No bit, analog telephony, an unknown bit, and all bits give no technology",
        arguments: [0, 1, 1 << 20, .max])
    func unknown(mask: UInt32) {
        #expect(CellularTechnology(accessTechnologies: mask) == nil)
    }

    @Test("Every mask has the highest generation of its bits")
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

    @Test("Generations are in order")
    func generations() {
        #expect(CellularGeneration.allCases == CellularGeneration.allCases.sorted())
    }
}
