// SPDX-License-Identifier: MIT
internal import ArgumentParser
import NetworkReachability
import ReachLibc

/// Options of every subcommand that queries the kernel.
struct CommonOptions: ParsableArguments {
    @Flag(name: .shortAndLong, help: "Print one JSON object per line; an unknown value is null.")
    var json = false

    @Option(
        name: .shortAndLong, parsing: .unconditional,
        help: ArgumentHelp(
            """
            Query another network namespace: a name of 'ip netns', a path, or a process id. A number that \
            is also a name is the name, as for 'ip'; /proc/PID/ns/net is always the process. Host names \
            are resolved there with the files of /etc, not with those of /etc/netns/NAME.
            """,
            valueName: "name|path|pid"),
        completion: .shellCommand("ls /run/netns 2>/dev/null"))
    var netns: String?

    /// The namespace: a path if it has a slash, a process if it is a number and no name, else a name.
    var namespace: NetworkNamespace {
        guard let netns else { return .current }
        if netns.contains("/") { return .path(netns) }
        guard let process = Int32(netns), unsafe access("/run/netns/\(netns)", F_OK) != 0 else {
            return .named(netns)
        }
        return .process(process)
    }
}

/// The option of subcommands whose exit status is a result.
struct QuietOptions: ParsableArguments {
    @Flag(name: .shortAndLong, help: "Print nothing but errors; the exit status is the answer.")
    var quiet = false
}

/// The options for verdicts printed as text.
struct TextOptions: ParsableArguments {
    @Flag(
        name: .shortAndLong,
        help: "Print the reason and the interface too, as on a terminal.")
    var verbose = false

    @OptionGroup var color: ColorOptions

    /// The style of text on `output`.
    func style(for output: Output) -> TextStyle {
        TextStyle(
            isVerbose: verbose || output.isTerminal, isColored: color.isColored(output.isTerminal))
    }
}

/// The option of subcommands that color verdicts.
struct ColorOptions: ParsableArguments {
    enum When: String, CaseIterable, ExpressibleByArgument {
        case auto, always, never
    }

    @Option(
        help: ArgumentHelp(
            "Color verdicts; auto: on a terminal, unless NO_COLOR is set.", valueName: "when"))
    var color: When = .auto

    /// Whether to color the output, by the rule of https://no-color.org.
    ///
    /// With `auto`, a terminal has no colors if TERM is empty or `dumb`.
    func isColored(_ isTerminal: Bool) -> Bool {
        switch color {
        case .always: true
        case .never: false
        case .auto:
            isTerminal && environment("NO_COLOR") == ""
                && !["", "dumb"].contains(environment("TERM"))
        }
    }

    private func environment(_ name: String) -> String {
        unsafe getenv(name).map { unsafe String(cString: $0) } ?? ""
    }
}

/// The option of subcommands that end once the states of all targets are final.
struct TimeoutOptions: ParsableArguments {
    @Option(
        name: .shortAndLong, parsing: .unconditional,
        help: ArgumentHelp(
            "How long to wait for names to be resolved (default: 30); 0 does not wait.",
            valueName: "seconds"),
        transform: parseSeconds)
    var timeout: Double = 30
}

/// Parses a time in seconds, at most 1e9.
func parseSeconds(_ text: String) throws -> Double {
    guard let seconds = Double(text), 0...1e9 ~= seconds else {
        throw ValidationError("give a number of seconds from 0 to 1000000000")
    }
    return seconds
}
