// SPDX-License-Identifier: MIT
import ArgumentParser
import NetworkReachability
import ReachabilityConnectivity
import ReachLibc

/// Why a command ends early: a message for standard error and an exit status.
struct Failure: Error {
    let status: ExitCode
    let message: String

    /// Bad usage that ArgumentParser doesn't detect.
    static func usage(_ message: String) -> Failure {
        Failure(status: ExitCode(EX_USAGE), message: message)
    }

    /// A system error, where `subject` names the input and `errno` is positive.
    static func system(_ subject: String, _ errno: Int32) -> Failure {
        Failure(
            status: ExitCode(EX_OSERR), message: "\(subject): \(ReachabilityErrno(rawValue: errno))"
        )
    }

    /// An error whose description has its own advice; an invalid namespace is bad usage.
    static func system(_ error: ReachabilityError) -> Failure {
        let isUsage = error.code == .invalidNamespace
        return Failure(
            status: ExitCode(isUsage ? EX_USAGE : EX_OSERR), message: error.description)
    }
}

/// Throws in a static program, which can't load the library that `option` needs.
func checkLoading(for option: String) throws(Failure) {
    guard !ConnectivityProbe.canLoadLibraries else { return }
    throw Failure(
        status: ExitCode(EX_OSERR),
        message: """
            \(option) needs a shared library, which a static executable cannot load; use the reachctl \
            of the Debian packages, or build it with 'make -C Sources/reachctl'
            """)
}

/// Writes one line to standard error.
func complain(_ message: String) {
    var line = Array("reachctl: \(message.printable)\n".utf8)[...]
    while !line.isEmpty {
        let written = unsafe line.withUnsafeBytes { bytes in
            unsafe write(STDERR_FILENO, bytes.baseAddress, bytes.count)
        }
        // If standard error fails, there is nowhere to report it.
        guard written > 0 else { return }
        line = line.dropFirst(written)
    }
}

/// Writes one line to standard error, unless that would block, as on a full pipe.
func mention(_ message: String) {
    var descriptor = pollfd(fd: STDERR_FILENO, events: Int16(POLLOUT), revents: 0)
    guard unsafe poll(&descriptor, 1, 0) == 1 else { return }
    complain(message)
}

/// A subcommand whose failures carry their own exit status.
///
/// Set `commandName` in its configuration. Deriving the name from the type's name would take a third
/// of all instructions at startup.
protocol Subcommand: ParsableCommand {
    func perform() throws
}

extension Subcommand {
    func run() throws {
        do {
            try perform()
        } catch let failure as Failure {
            complain(failure.message)
            throw failure.status
        }
    }
}
