// SPDX-License-Identifier: MIT
import ArgumentParser
import CReach

/// `reachctl flags`.
struct Flags: Subcommand {
    static let configuration = CommandConfiguration(
        abstract: "Explain flags words.",
        discussion: """
            Prints the words of 'scutil -r'; with several values the value and a tab stand before them. \
            --json prints flags, words, letters ("WR tcCiDld") and status.
            """)

    @Flag(help: "Print one JSON object a line.")
    var json = false

    // Letters such as "-R -------" look like options.
    @Argument(
        parsing: .allUnrecognized,
        help: """
            A number (decimal or 0x...), words ("Reachable,Transient Connection"), or letters in either \
            order ("-R tc-----", "-R ct-----").
            """)
    var values: [String]

    func perform() throws {
        let reports = try values.map { text in
            guard let flags = Flags.parse(text) else {
                throw Failure.usage(
                    "'\(text)' is no flags word; give a number, words or letters")
            }
            return FlagsReport(flags: flags)
        }
        var output = Output()
        for (text, report) in zip(values, reports) {
            if json {
                var object = JSONObject()
                report.add(to: &object)
                try output.line(object.line)
            } else {
                try output.line(
                    values.count > 1 ? "\(text.printable)\t\(report.words)" : report.words)
            }
        }
        try output.flush()
    }

    private static func parse(_ text: String) -> UInt32? {
        parseNumber(text) ?? parse(letters: text) ?? parse(words: text)
    }

    /// Every flag's letter and its place in the sample's and the wrappers' order.
    private static func parse(letters: String) -> UInt32? {
        let bits: [Character: reach_flag] = [
            "W": .REACH_FLAG_IS_WWAN, "R": .REACH_FLAG_REACHABLE,
            "t": .REACH_FLAG_TRANSIENT_CONNECTION, "c": .REACH_FLAG_CONNECTION_REQUIRED,
            "C": .REACH_FLAG_CONNECTION_ON_TRAFFIC, "i": .REACH_FLAG_INTERVENTION_REQUIRED,
            "D": .REACH_FLAG_CONNECTION_ON_DEMAND, "l": .REACH_FLAG_IS_LOCAL_ADDRESS,
            "d": .REACH_FLAG_IS_DIRECT,
        ]
        let orders = ["WR tcCiDld", "WR ctiCDld"].map(Array.init)
        var flags: UInt32 = 0
        guard letters.count == orders[0].count else { return nil }
        for (position, letter) in letters.enumerated() {
            if letter == (position == 2 ? " " : "-") { continue }
            guard let bit = bits[letter], orders.contains(where: { $0[position] == letter }) else {
                return nil
            }
            flags |= bit.rawValue
        }
        return flags
    }

    /// The words as reach_flags_words() writes them, in any order and case.
    private static func parse(words: String) -> UInt32? {
        var flags: UInt32 = 0
        var known: [String: UInt32] = [FlagsReport(flags: 0).words.lowercased(): 0]
        for position in 0..<32 where REACH_FLAGS_ALL & (1 << position) != 0 {
            let flag = UInt32(1) << UInt32(position)
            known[FlagsReport(flags: flag).words.lowercased()] = flag
        }
        for word in words.split(separator: ",", omittingEmptySubsequences: false) {
            guard let flag = known[word.lowercased()] ?? parseNumber(word) else { return nil }
            flags |= flag
        }
        return flags
    }
}
