// SPDX-License-Identifier: MIT

import Foundation
import NetworkReachability
import Testing

/// The table of all combinations of flags that all test suites share.
enum FlagsTable {
    struct Row: Sendable, CustomTestStringConvertible {
        let flags: ReachabilityFlags
        let networkReachabilityStatus: String
        let networkStatus: String
        let localWiFiStatus: String
        let lettersSample: String
        let lettersWrappers: String

        var testDescription: String { flags.letters }
    }

    static let rows: [Row] = {
        let text = (try? repositoryText("Tests/Vectors/flags.csv")) ?? ""
        return text.split(separator: "\n").dropFirst().compactMap { line in
            let fields = line.split(separator: ",", maxSplits: 6).map(String.init)
            guard fields.count == 7, let value = UInt32(fields[0].dropFirst(2), radix: 16) else {
                return nil
            }
            return Row(
                flags: ReachabilityFlags(rawValue: value), networkReachabilityStatus: fields[1],
                networkStatus: fields[2], localWiFiStatus: fields[3], lettersSample: fields[4],
                lettersWrappers: fields[5])
        }
    }()
}

/// Invalid host names.
enum BadNames {
    typealias Row = (name: String, code: ReachabilityError.Code)

    static let rows: [Row] = [
        ("", .emptyName),
        ("https://", .emptyName),
        ("file:///etc/hosts", .emptyName),
        ("www.example.com:80", .nameWithPort),
        ("192.168.3.1:3000", .nameWithPort),
        ("www.example.com/path", .invalidName),
        ("no spaces", .invalidName),
        ("nul\0byte", .invalidName),
        ("double..dot", .invalidName),
        ("bücher.example", .invalidName),
        (String(repeating: "a", count: 64) + ".example", .nameTooLong),
        (String(repeating: "a.", count: 127) + "a", .nameTooLong),
    ]
}
