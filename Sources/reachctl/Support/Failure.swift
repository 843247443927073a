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
    // If standard error fails, there is nowhere to report it.
    _ = writeAll("reachctl: \(message.printable)\n", to: STDERR_FILENO)
}

/// Writes a text; returns 0 or an errno.
func writeAll(_ text: String, to descriptor: Int32) -> Int32 {
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
        let written = unsafe rest.withUnsafeBytes { bytes in
            unsafe write(descriptor, bytes.baseAddress, bytes.count)
        }
        guard written > 0 else { return errno }
        rest = rest.dropFirst(written)
    }
    return 0
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

/// Rewrites a message of ArgumentParser in the tool's style: one clause, lowercase, no full stop.
///
/// The result quotes the user's words unescaped, so the caller escapes them.
func retold(_ message: String) -> String {
    let text = message.split(separator: "\n")
        .map { String($0.drop(while: \.isWhitespace)) }.joined(separator: " ")
    let contradiction = /Value to be set with flag (.+) had already been set with flag (.+)/
    if let match = text.wholeMatch(of: contradiction) {
        return "\(match.2) and \(match.1) contradict each other; give one"
    }
    // ArgumentParser also suggests options that have little in common with the word.
    let suggestion = /(Unknown option '-*(.+)')\. Did you mean '-*(.+)'\?/
    var clause = text[...]
    if let match = text.wholeMatch(of: suggestion),
        nearest(to: String(match.2), among: [String(match.3)]) == nil
    {
        clause = match.1
    }
    for (old, new) in [
        (". Did you mean", "; did you mean"), (". Please provide one of", "; give one of"),
        (". Please use", "; use"), (" or: Missing", " or missing"),
        (", but '", ", and '"), ("' was specified", "' is given"),
        ("Missing expected argument", "missing argument"),
    ] {
        clause = clause.replacing(old, with: new)[...]
    }
    if clause.last == "." { clause.removeLast() }
    return clause.prefix(1).lowercased() + clause.dropFirst()
}

/// The candidate that `word` was probably meant to be; nil if there is none.
///
/// It is the only candidate that begins with `word`. Otherwise it is the nearest one, if it differs
/// by one replaced character, or by at most one per three characters.
func nearest(to word: String, among candidates: [String]) -> String? {
    let begun = candidates.filter { $0.hasPrefix(word) }
    if begun.count == 1 { return begun[0] }
    // A replaced or moved character counts twice: removed and inserted.
    let nearest = candidates.map { (name: $0, distance: $0.difference(from: word).count) }
        .min { $0.distance < $1.distance }
    guard let nearest, nearest.distance <= 2 * max(1, nearest.name.count / 3) else { return nil }
    return nearest.name
}
