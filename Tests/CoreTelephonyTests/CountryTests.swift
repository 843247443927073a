// SPDX-License-Identifier: MIT
import Testing

@testable import CoreTelephony

@Suite("Countries of operators")
struct CountryTests {
    @Test(
        "A mobile country code has its country",
        arguments: [
            ("202", "gr"), ("235", "gb"), ("262", "de"), ("310", "us"), ("316", "us"),
            ("404", "in"),
            ("440", "jp"), ("460", "cn"), ("505", "au"), ("655", "za"), ("724", "br"),
            ("995", "io"),
        ])
    func country(code: String, country: String) {
        #expect(isoCountry(forMobileCountryCode: code) == country)
    }

    @Test(
        "Test, international, and unassigned codes have no country",
        arguments: ["001", "901", "999", "", "26"])
    func none(code: String) {
        #expect(isoCountry(forMobileCountryCode: code) == nil)
    }

    @Test("239 codes have a country, each of two letters")
    func all() {
        let found = (0..<1000).compactMap { number in
            let digits = String(number)
            let code = String(repeating: "0", count: 3 - digits.count) + digits
            return isoCountry(forMobileCountryCode: code)
        }
        #expect(found.count == 239)
        #expect(found.allSatisfy { $0.count == 2 && $0.allSatisfy { "a"..."z" ~= $0 } })
    }
}
