// SPDX-License-Identifier: MIT
import ArgumentParser
import Glibc

/// Why a command ends early: a message for standard error and an exit status.
struct Failure: Error {
    let status: ExitCode
    let message: String

    /// What to do about a namespace that may not be entered.
    static let privilege = "run as root (CAP_SYS_ADMIN)"

    /// Bad usage, where only the command itself could tell.
    static func usage(_ message: String) -> Failure {
        Failure(status: ExitCode(EX_USAGE), message: message)
    }

    /// A system error: `subject` names the input, `errno` is positive, `mend` what to do about it.
    static func system(_ subject: String, _ errno: Int32, mend: String? = nil) -> Failure {
        let advice = mend.map { "; \($0)" } ?? ""
        return Failure(
            status: ExitCode(EX_OSERR), message: "\(subject): \(errorText(errno))\(advice)")
    }
}

/// The C library's words for a positive errno.
func errorText(_ errno: Int32) -> String {
    guard let text = unsafe strerror(errno) else { return "error \(errno)" }
    return unsafe String(cString: text)
}

/// Writes one line to standard error.
func complain(_ message: String) {
    var line = Array("reachctl: \(message.printable)\n".utf8)[...]
    while !line.isEmpty {
        let written = unsafe line.withUnsafeBytes { bytes in
            unsafe write(STDERR_FILENO, bytes.baseAddress, bytes.count)
        }
        // There is nowhere left to report to.
        guard written > 0 else { return }
        line = line.dropFirst(written)
    }
}

/// A subcommand whose failures carry their own exit status.
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
