// SPDX-License-Identifier: MIT

import AppleReachability
import Foundation
import Testing

/// Checks the documentation's table of differences between the families against the code.
@Suite("The table of differences between the families")
struct FamiliesTests {
    /// A row: flags, and the status of the first two columns.
    struct Row: Sendable, CustomTestStringConvertible {
        let letters: String
        let flags: ReachabilityFlags
        let af: String
        let sample: String

        var testDescription: String { letters }
    }

    static let letters: [Character: ReachabilityFlags] = [
        "R": .reachable, "t": .transientConnection, "c": .connectionRequired,
        "C": .connectionOnTraffic, "D": .connectionOnDemand, "i": .interventionRequired,
        "l": .isLocalAddress, "d": .isDirect, "W": .isWWAN,
    ]

    static let rows: [Row] = {
        let page = "Sources/AppleReachability/Documentation.docc/Families.md"
        let text = (try? repositoryText(page)) ?? ""
        let table = text.split(separator: "\n").drop { !$0.hasPrefix("| flags |") }
            .prefix { $0.hasPrefix("|") }.dropFirst(2)
        return table.flatMap { line in
            let cells = line.replacing("*", with: "").split(separator: "|")
                .map { $0.trimmingCharacters(in: .whitespaces) }
            return cells[0].matches(of: /`([^`]+)`/).map { match in
                let flags = match.output.1.compactMap { letters[$0] }
                return Row(
                    letters: String(match.output.1), flags: ReachabilityFlags(flags),
                    af: cells[1], sample: cells[2])
            }
        }
    }()

    @Test("The table has 16 rows")
    func count() {
        #expect(Self.rows.count == 16)
    }

    @Test("Each row agrees with the code", arguments: rows)
    func row(row: Row) {
        // The first row is about flags without `R`.
        let flags = row.af == "not reachable" && row.letters == "R" ? [] : row.flags
        let af: [AFNetworkReachabilityStatus: String] = [
            .notReachable: "not reachable", .reachableViaWiFi: "Wi-Fi",
            .reachableViaWWAN: "cellular",
        ]
        let sample: [NetworkStatus: String] = [
            .NotReachable: "not reachable", .ReachableViaWiFi: "Wi-Fi",
            .ReachableViaWWAN: "cellular",
        ]
        #expect(af[AFNetworkReachabilityStatus(flags: flags)] == row.af)
        #expect(sample[NetworkStatus(flags: flags)] == row.sample)
    }
}
