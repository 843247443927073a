// SPDX-License-Identifier: MIT
import ArgumentParser
import NetworkReachability

/// `reachctl flags`.
struct Flags: Subcommand {
    static let configuration = CommandConfiguration(
        commandName: "flags",
        abstract: "Print what SCNetworkReachability flags mean.",
        discussion: """
            Prints the words of 'scutil -r', after the value and a tab if there are several values. --json \
            prints flags, words, letters ("WR tcCiDld"), and status.

            EXIT STATUS:
              0     done
              64    bad usage
              71    a system error

            EXAMPLES:
              reachctl flags 0x40003
                  The words of a number in another system's log.
              reachctl flags --json '-R tc-----' 'Reachable,WWAN'
                  Letters and words as JSON.
            """)

    @Flag(name: .shortAndLong, help: "Print one JSON object per line.")
    var json = false

    // Letters such as "-R -------" would be parsed as options.
    @Argument(
        parsing: .allUnrecognized,
        help: """
            A number (decimal or 0x...), words ("Reachable,Transient Connection"), or letters in either \
            order ("-R tc-----", "-R ct-----").
            """)
    var values: [String]

    func perform() throws {
        // `.allUnrecognized` keeps every argument that isn't a known option, including `--`.
        var values = self.values
        if let terminator = values.firstIndex(of: "--") { values.remove(at: terminator) }
        guard !values.isEmpty else { throw Failure.usage("no flags are given after '--'") }
        let all = try values.map { text in
            guard let flags = Flags.parse(text) else {
                throw Failure.usage(
                    "'\(text)' cannot be read as flags; "
                        + "give a number up to 0xffffffff, words, or the nine letters of \"WR tcCiDld\""
                )
            }
            return flags
        }
        var output = Output()
        for (text, flags) in zip(values, all) {
            if json {
                try output.line(flags.json.line)
            } else {
                try output.line(
                    values.count > 1 ? "\(text.printable)\t\(flags.words)" : flags.words)
            }
        }
        try output.flush()
    }

    private static func parse(_ text: String) -> ReachabilityFlags? {
        parseNumber(text).map(ReachabilityFlags.init) ?? parse(letters: text) ?? parse(words: text)
    }

    /// Parses letters in the order of Apple's sample or of its common wrappers.
    private static func parse(letters: String) -> ReachabilityFlags? {
        let orders = ["WR tcCiDld", "WR ctiCDld"].map(Array.init)
        var flags: ReachabilityFlags = []
        guard letters.count == orders[0].count else { return nil }
        for (position, letter) in letters.enumerated() {
            if letter == (position == 2 ? " " : "-") { continue }
            guard orders.contains(where: { $0[position] == letter }) else { return nil }
            for known in ReachabilityFlags.lettersInOrder where known.letter == letter {
                flags.formUnion(known.flag)
            }
        }
        return flags
    }

    /// Parses words in any order and case.
    private static func parse(words: String) -> ReachabilityFlags? {
        var known = [ReachabilityFlags().words.lowercased(): ReachabilityFlags()]
        for position in 0..<UInt32.bitWidth {
            let flag = ReachabilityFlags(rawValue: 1 << position)
            known[flag.words.lowercased()] = flag
        }
        var flags: ReachabilityFlags = []
        for word in words.split(separator: ",", omittingEmptySubsequences: false) {
            guard
                let flag = known[word.lowercased()]
                    ?? parseNumber(word).map(ReachabilityFlags.init)
            else { return nil }
            flags.formUnion(flag)
        }
        return flags
    }
}
