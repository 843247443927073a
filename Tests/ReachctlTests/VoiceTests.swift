// SPDX-License-Identifier: MIT
import Foundation
import Testing

@Suite("Errors of bad usage", .blocking, .timeLimit(.minutes(10)))
struct VoiceTests {
    @Test(
        "An error of ArgumentParser is one line in the tool's own words",
        arguments: [
            ("status -4 -6", "'-4' and '-6' contradict each other; give one", "status"),
            ("wait -46", "'4' in '-46' and '6' in '-46' contradict each other; give one", "wait"),
            ("status --nonsense", "unknown option '--nonsense'", "status"),
            // The suggestion takes the place of the advice.
            ("status --timeou 1", "unknown option '--timeou'; did you mean '--timeout'?", ""),
            ("--nonsense", "unknown option '--nonsense'", nil),
            ("watch --quiet", "unknown option '--quiet'", "watch"),
            ("wait --netns", "missing value for '--netns <name|path|pid>'", "wait"),
            (
                "status -tx", "unknown option '-tx' or missing value for '-t <seconds>' in '-tx'",
                "status"
            ),
            (
                "status --timeout soon",
                "the value 'soon' is invalid for '--timeout <seconds>': give a number of seconds from 0 to "
                    + "1000000000",
                "status"
            ),
            (
                "status --policy x",
                "the value 'x' is invalid for '--policy <policy>'; give one of 'optimistic' and 'strict'",
                "status"
            ),
            (
                "status --quiet=1",
                "the option '--quiet' does not take any value, and '1' is given", "status"
            ),
            ("interfaces eth0", "unexpected argument 'eth0'", "interfaces"),
            ("flags", "missing argument '<values> ...'", "flags"),
            (
                "--generate-completion-script foo",
                "can't generate completion scripts for 'foo'; use --generate-completion-script=<shell> "
                    + "with one of: zsh bash fish", nil
            ),
            (
                "wait --timeout -1 127.0.0.1",
                "the value '-1' is invalid for '--timeout <seconds>': give a number of seconds from 0 to "
                    + "1000000000",
                "wait"
            ),
        ] as [(String, String, String?)])
    func parser(line: String, text: String, command: String?) throws {
        let result = try Tool.run(line.split(separator: " ").map(String.init))
        let advice =
            command == "" ? "" : "; see 'reachctl \(command.map { "help \($0)" } ?? "--help")'"
        #expect(result.errors == "reachctl: \(text)\(advice)\n")
        #expect(result.status == 64 && result.output.isEmpty)
    }

    @Test(
        "An error that the tool finds itself is one line, too",
        arguments: [
            (["help", "nosuch"], "there is no subcommand 'nosuch'; see 'reachctl --help'"),
            (
                ["help", "statsu"],
                "there is no subcommand 'statsu'; did you mean 'reachctl help status'?"
            ),
            (
                ["status", "-4", "::"],
                "'::' is IPv6, but -4 asks for IPv4; give 'internet' instead"
            ),
            (
                ["wait", "0.0.0.0", "-6"],
                "'0.0.0.0' is IPv4, but -6 asks for IPv6; give 'internet' instead"
            ),
            (
                ["flags", "--", "-R ----"],
                "'-R ----' cannot be read as flags; "
                    + "give a number up to 0xffffffff, words, or the nine letters of \"WR tcCiDld\""
            ),
            (["flags", "--"], "no flags are given after '--'"),
        ])
    func own(arguments: [String], text: String) throws {
        let result = try Tool.run(arguments)
        #expect(result.errors == "reachctl: \(text)\n")
        #expect(result.status == 64 && result.output.isEmpty)
    }

    @Test(
        "Letters that begin with a dash are a value, with or without '--'",
        arguments: [["--", "-R -------"], ["-R -------"]])
    func terminator(values: [String]) throws {
        let result = try Tool.run(["flags"] + values)
        #expect(result.output == "Reachable\n")
        #expect(result.status == 0)
    }

    @Test(
        "Errors contain no control characters, whatever they quote",
        arguments: [
            ["interfaces", "\u{1b}[31mx"], ["status", "--\u{1b}[31m"], ["\u{1b}]0;x\u{7}"],
            ["status", "--policy", "\u{1b}[2J"], ["status", "-t", "1\n2"], ["help", "\u{1b}[31m"],
            ["status", "\u{1b}[31m..b"], ["flags", "\u{202e}"], ["wait", "--netns", "/\u{1b}[31m"],
            ["decode", "/\u{9b}31m"], ["status", "--uid", "\u{1b}c"],
        ])
    func escapes(arguments: [String]) throws {
        let result = try Tool.run(arguments)
        #expect([64, 71].contains(result.status))
        #expect(result.errors.hasPrefix("reachctl: "))
        #expect(result.errors.filter { $0 == "\n" }.count == 1)
        #expect(
            !result.errors.dropLast().unicodeScalars.contains {
                [.control, .format].contains($0.properties.generalCategory)
            }, "\(result.errors.debugDescription)")
    }

    @Test("The help of every timeout names its default", arguments: ["status", "explain", "wait"])
    func defaults(command: String) throws {
        let help = try Tool.run("help", command).output
        let words = help.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        #expect(words.contains("(default: \(command == "wait" ? "no limit" : "30"))"))
    }
}

@Suite("Text for people", .blocking, .timeLimit(.minutes(10)))
struct TextTests {
    private static let green = "\u{1b}[32mReachable,Local Address\u{1b}[0m"
    private static let red = "\u{1b}[31mNot Reachable\u{1b}[0m"

    @Test("--verbose prints to a pipe what a terminal gets")
    func verbose() throws {
        let targets = ["127.0.0.1", "192.0.2.254,127.0.0.1"]
        let lines = [
            "127.0.0.1\tReachable,Local Address lo", "\(targets[1])\tNot Reachable (notLocal)",
        ]
        #expect(try Tool.run(["status", "-v"] + targets).lines == lines)
        #expect(try Tool.run(["wait", "-v", "--any"] + targets).lines == lines)
        var child = try Child([Tool.path, "watch", "--verbose"] + targets)
        for line in lines { #expect(child.line()?.hasSuffix("\t\(line)") == true) }
        #expect(child.end().status == 0)
    }

    @Test("--color=always colors the verdict alone, and never JSON")
    func color() throws {
        let targets = ["127.0.0.1", "192.0.2.254,127.0.0.1"]
        let colored = ["127.0.0.1\t\(Self.green)", "\(targets[1])\t\(Self.red)"]
        for command in [["status"], ["wait", "--any"]] {
            #expect(try Tool.run(command + ["--color", "always"] + targets).lines == colored)
            #expect(try Tool.run(command + targets).output.contains("\u{1b}") == false)
        }
        let explanation = try Tool.run(["explain", "--color", "always", "127.0.0.1"])
        #expect(explanation.lines.dropFirst().first == "    verdict  \(Self.green) (lo)")
        let overview = try Tool.run(["status", "--color=always", "-i", "none0"])
        #expect(overview.lines.first?.hasSuffix("IPv4: \(Self.red) (noInterface)") == true)
        let json = try Tool.run(["status", "--json", "--color", "always"] + targets)
        #expect(!json.output.contains("\u{1b}"))
    }

    @Test(
        "Output to a terminal is colored, unless TERM, NO_COLOR, or --color says no",
        arguments: [
            (["TERM=xterm", "NO_COLOR="], "auto", true),
            (["TERM=xterm", "NO_COLOR=1"], "auto", false),
            (["TERM=dumb", "NO_COLOR="], "auto", false),
            (["TERM=", "NO_COLOR="], "auto", false),
            (["TERM=dumb", "NO_COLOR=1"], "always", true),
            (["TERM=xterm", "NO_COLOR="], "never", false),
        ])
    func terminal(environment: [String], when: String, isColored: Bool) throws {
        let result = try Tool.runOnTerminal(
            "status", "--color", when, "127.0.0.1", environment: environment)
        #expect(result.output == (isColored ? Self.green : "Reachable,Local Address") + " lo\r\n")
    }

    @Test("A quiet wait prints nothing, and a full pipe of errors does not block a wait")
    func stuck() throws {
        let quiet = try Tool.run("wait", "-q", "-t", "0", "--unreachable", "127.0.0.1")
        #expect(quiet.status == 1 && quiet.output.isEmpty && quiet.errors.isEmpty, "\(quiet)")
        var child = try Child.stuck("\"$0\" wait --unreachable 127.0.0.1 >/dev/null")
        try child.waitUntilCatching(SIGTERM)
        kill(child.pid, SIGTERM)
        #expect(child.exit() == 128 + SIGTERM)
    }

    @Test(
        "Errors that can't be written don't change the exit status", arguments: ["/dev/full", "&-"])
    func unwritableErrors(place: String) throws {
        for (arguments, status) in [
            (["wait", "-t", "0", "--unreachable", "127.0.0.1"], 1), (["status", "a..b"], 64),
        ] as [([String], Int32)] {
            let script = "exec \"$0\" \"$@\" 2>\(place)"
            let result = try Tool.run(command: ["sh", "-c", script, Tool.path] + arguments)
            #expect(result.status == status)
        }
    }
}
