// SPDX-License-Identifier: MIT

import CReach
import NetworkReachability
import ReachLibc

extension Unicode.Scalar {
    /// Whether the scalar is invisible but changes the output.
    ///
    /// Such scalars are C0 and C1 controls, line and paragraph separators, format characters (for
    /// example, those that set the direction of text), and private use.
    var isControl: Bool {
        switch properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse: true
        default: false
        }
    }
}

extension String {
    /// The text with control characters as escapes, so that it cannot control a terminal or break a line.
    var printable: String {
        var result = ""
        for scalar in unicodeScalars {
            if scalar.isControl {
                result += "\\u{\(String(scalar.value, radix: 16))}"
            } else {
                result.unicodeScalars.append(scalar)
            }
        }
        return result
    }
}

/// The rows as lines, each column as wide as its widest cell.
func aligned(_ rows: [[String]]) -> [String] {
    guard let first = rows.first else { return [] }
    let widths = first.indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
    return rows.map { row in
        let cells = zip(row, widths).map { cell, width in
            cell + String(repeating: " ", count: width - cell.count)
        }
        let line = cells.joined(separator: "  ")
        return String(line[...(line.lastIndex { $0 != " " } ?? line.startIndex)])
    }
}

/// "0x" and at least `digits` hexadecimal digits.
func hexadecimal(_ value: some BinaryInteger, digits: Int = 1) -> String {
    let text = String(value, radix: 16)
    return "0x" + String(repeating: "0", count: max(0, digits - text.count)) + text
}

/// Parses a number in decimal or, after "0x", in hexadecimal.
func parseNumber(_ text: some StringProtocol) -> UInt32? {
    guard text.first != "+" else { return nil }
    if text.hasPrefix("0x") || text.hasPrefix("0X") {
        let digits = text.dropFirst(2)
        return digits.first == "+" ? nil : UInt32(digits, radix: 16)
    }
    return UInt32(text)
}

extension reach_address {
    /// The numeric text, or nil if there is no address.
    var text: String? { NetworkAddress(self)?.description }
}

/// How to print verdicts as text.
struct TextStyle {
    /// Whether the reason and the interface are printed too.
    let isVerbose: Bool
    let isColored: Bool

    static let plain = TextStyle(isVerbose: true, isColored: false)

    /// The words of the flags, or "Unknown": green if reachable, yellow if a connection is required or nothing is
    /// known, else red.
    func verdict(_ snapshot: ReachabilitySnapshot) -> String {
        let words = snapshot.words
        guard isColored else { return words }
        let color =
            snapshot.status.isReachable
            ? 32
            : snapshot.flags.contains(.connectionRequired) || snapshot.status == .unknown ? 33 : 31
        return "\u{1b}[\(color)m\(words)\u{1b}[0m"
    }
}

/// The start of a line about an event: its time, or in the journal, which adds the time, its priority.
///
/// The priority is a level of syslog (RFC 5424); the journal reads it from the start of a line (sd-daemon(3)).
func lineStart(_ time: String, isWarning: Bool) -> String {
    isJournal ? isWarning ? "<4>" : "<6>" : "\(time)\t"
}

/// Whether standard output is the stream that systemd has connected to the journal (`JOURNAL_STREAM`,
/// systemd.exec(5)).
private let isJournal: Bool = {
    guard let stream = unsafe getenv("JOURNAL_STREAM") else { return false }
    var file = stat()
    return unsafe fstat(STDOUT_FILENO, &file) == 0
        && String(cString: stream) == "\(file.st_dev):\(file.st_ino)"
}()
