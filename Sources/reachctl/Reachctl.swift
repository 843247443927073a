// SPDX-License-Identifier: MIT
import ArgumentParser
import CReach
import Glibc

/// The command and its subcommands.
@main
struct Reachctl: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reachctl",
        abstract: "Could a packet leave for this host, and over what?",
        discussion: """
            Asks the kernel over rtnetlink and answers with SCNetworkReachability's flags. No packet \
            is sent, and no privilege is needed except for another network namespace.

            Exit status: 0 done (status: every target is reachable), 1 a target is not reachable, 64 bad \
            usage, 65 malformed bytes (decode), 71 a system error. A closed output pipe is no error.
            """,
        version: version,
        subcommands: [Status.self, Watch.self, Interfaces.self, Flags.self, Decode.self])

    /// The library's version: "1.2.3".
    private static var version: String {
        let number = reach_version()
        return "\(number / 10000).\(number / 100 % 100).\(number % 100)"
    }

    static func main() {
        prepareProcess()
        main(nil)
    }

    /// Makes the process safe to write from.
    ///
    /// A closed pipe must be an error of write(), not a death; and a standard descriptor that was
    /// closed must not become one of the monitor's sockets. The mode is the wrong one on purpose, so
    /// that using the descriptor still fails with EBADF.
    private static func prepareProcess() {
        _ = signal(SIGPIPE, SIG_IGN)
        for descriptor: Int32 in 0...2 where fcntl(descriptor, F_GETFD) < 0 {
            _ = unsafe open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY)
        }
    }
}
