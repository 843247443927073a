// SPDX-License-Identifier: MIT
import SystemServices
import CoreTelephony
import Testing

@Suite("Constants of CoreTelephony")
struct ConstantTests {
    @Test("Each technology has its constant", arguments: CellularTechnology.allCases)
    func technology(technology: CellularTechnology) {
        let names: [CellularTechnology: String] = [
            .gsm: "GPRS", .gsmCompact: "GPRS", .gprs: "GPRS", .edge: "Edge", .umts: "WCDMA",
            .hsdpa: "HSDPA", .hsupa: "HSUPA", .hspa: "HSUPA", .hspaPlus: "HSUPA",
            .cdma1x: "CDMA1x", .evdoRev0: "CDMAEVDORev0", .evdoRevA: "CDMAEVDORevA",
            .evdoRevB: "CDMAEVDORevB", .lte: "LTE", .lteM: "LTE", .nbIoT: "LTE",
            .nrNonStandalone: "NRNSA", .nr: "NR",
        ]
        #expect(
            technology.radioAccessTechnology
                == names[technology].map { "CTRadioAccessTechnology\($0)" })
    }

    /// Apple's constants: value, whole generation, and the text for users.
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

    @Test("Each constant has Apple's value, its generation, and its text", arguments: constants)
    func constant(value: String, name: String, generation: Int, text: String) {
        #expect(value == "CTRadioAccessTechnology\(name)")
        #expect(CellularGeneration(radioAccessTechnology: value)?.number == generation)
        #expect(CTTelephonyNetworkInfo.connectionTypeDescription(forTechnology: value) == text)
    }

    @Test("Other texts have no generation, and nil has a generic text")
    func others() {
        #expect(CellularGeneration(radioAccessTechnology: "LTE") == nil)
        #expect(CTTelephonyNetworkInfo.connectionTypeDescription(forTechnology: nil) == "Cellular")
    }
}
