// SPDX-License-Identifier: MIT
import ArgumentParser
import CReach
import ReachLibc

/// The command and its subcommands.
@main
struct Reachctl: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reachctl",
        abstract:
            "Report the reachability of hosts: can a packet be sent, and over which interface?",
        usage: "reachctl [<subcommand>]",
        discussion: """
            Looks routes up over rtnetlink and prints SCNetworkReachability's flags. Sends only DNS \
            queries, unless you pass --connectivity. Needs no privileges, except for another network \
            namespace.

            EXIT STATUS:
              0      done; status, explain: every target is reachable
              1      a target is not reachable; wait: the timeout passed
              64     bad usage
              65     malformed bytes (decode)
              71     a system error
              128+n  wait: ended by signal n

            A closed output pipe is not an error.

            EXAMPLES:
              reachctl
                  An overview of this host, as 'reachctl status' prints it.
              reachctl watch -v db.example.com
                  Each change of a host, with the reason and the interface.
              reachctl explain db.example.com
                  Why it is reachable, or why not.
            """,
        version: version,
        subcommands: [
            Status.self, Watch.self, Wait.self, Explain.self, Interfaces.self, Flags.self,
            Decode.self,
        ])

    /// The library's version: "1.2.3".
    private static var version: String {
        let number = reach_version()
        return "\(number / 10000).\(number / 100 % 100).\(number % 100)"
    }

    static func main() {
        prepareProcess()
        do {
            try checkArguments()
            try checkCommand()
        } catch {
            complain(error.message)
            exit(withError: error.status)
        }
        do {
            var command = try parseAsRoot()
            try command.run()
        } catch {
            end(with: error)
        }
    }

    /// Exits with the status of `error`, or with an error if a help text can't be written.
    private static func end(with error: any Error) -> Never {
        let text = message(for: error)
        let status = exitCode(for: error)
        guard status.isSuccess, !text.isEmpty else {
            let problem = retold(text)
            let advice = problem.last == "?" ? "" : "; see '\(helpCommand)'"
            if !text.isEmpty { complain(problem + advice) }
            exit(withError: status)
        }
        var output = Output()
        do {
            try output.line(text)
            try output.flush()
        } catch {
            complain(error.message)
            exit(withError: error.status)
        }
        exit(withError: ExitCode.success)
    }

    /// Without a subcommand, it is `status`.
    func run() throws {
        let status = try Status.parse([])
        try status.run()
    }

    /// Checks the argument vector as Swift reads it.
    ///
    /// Swift reads /proc/self/cmdline. Without /proc the vector is empty. U+FFFD replaces bytes that aren't UTF-8.
    private static func checkArguments() throws(Failure) {
        guard CommandLine.argc > 0 else {
            throw .usage("the argument vector is empty; mount /proc, where it is read")
        }
        for position in 0..<Int(CommandLine.argc) {
            guard let bytes = unsafe CommandLine.unsafeArgv[position],
                unsafe String(validatingCString: bytes) == nil
            else { continue }
            let text = unsafe String(cString: bytes)
            throw .usage("argument \(position), '\(text)', is not UTF-8")
        }
    }

    private static var commands: [String] {
        configuration.subcommands.map { command in command.configuration.commandName ?? "" }
    }

    /// The command that prints the help on the given subcommand, or on all.
    private static var helpCommand: String {
        let word = CommandLine.arguments.dropFirst().first ?? ""
        return commands.contains(word) ? "reachctl help \(word)" : "reachctl --help"
    }

    /// Checks the name of the subcommand: the first argument, unless that is an option.
    private static func checkCommand() throws(Failure) {
        var words = CommandLine.arguments.dropFirst()
        let isHelp = words.first == "help"
        // Check the argument of `help`, too. For an unknown subcommand, ArgumentParser would print
        // the help on all, with exit status 0.
        if isHelp { words = words.dropFirst() }
        guard let word = words.first, !word.hasPrefix("-"), !commands.contains(word),
            word != "help"
        else { return }
        let advice =
            if !isHelp,
                word.contains(where: { $0 == "." || $0 == ":" })
                    || ["internet", "local-wifi"].contains(word)
            {
                "for the state of a target give 'reachctl status \(word)'"
            } else if let near = nearest(to: word, among: commands + ["help"]) {
                "did you mean 'reachctl \(isHelp ? "help " : "")\(near)'?"
            } else {
                "see 'reachctl --help'"
            }
        throw .usage("there is no subcommand '\(word)'; \(advice)")
    }

    /// Prepares signals and standard descriptors.
    ///
    /// A closed pipe must make write() fail, not kill the process. A socket must not reuse a closed standard
    /// descriptor. This opens such a descriptor in the wrong mode, so that using it still fails with EBADF.
    private static func prepareProcess() {
        _ = signal(SIGPIPE, SIG_IGN)
        // Swift's runtime treats SIGQUIT as a crash.
        Waiter.restore(SIGQUIT)
        for descriptor: Int32 in 0...2 where fcntl(descriptor, F_GETFD) < 0 {
            _ = unsafe open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY)
        }
    }
}
