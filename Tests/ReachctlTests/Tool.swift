// SPDX-License-Identifier: MIT
import Foundation
// With this import, every file of the test target sees SwiftTestSupport.
@_exported import SwiftTestSupport
import Testing

/// The tool as its users run it: a child process.
enum Tool {
    /// The result of a run.
    struct Result {
        /// The exit status, or 128 plus the signal's number.
        let status: Int32
        let output: String
        let errors: String

        var lines: [String] { output.split(separator: "\n").map(String.init) }

        /// Each line parsed as one JSON object.
        func objects() throws -> [[String: Any]] {
            try lines.map(parseObject)
        }
    }

    /// The tool next to the test program, unless REACHCTL names another build.
    static let path = ProcessInfo.processInfo.environment["REACHCTL"] ?? program("reachctl")

    static func run(_ arguments: String..., input: Data = Data()) throws -> Result {
        try run(command: [path] + arguments, input: input)
    }

    static func run(_ arguments: [String]) throws -> Result {
        try run(command: [path] + arguments)
    }

    /// Runs the tool with its output on a terminal, whose lines end in CR LF.
    static func runOnTerminal(
        _ arguments: String..., environment: [String] = ["NO_COLOR=1"]
    ) throws -> Result {
        let words = ([path] + arguments).map { "'\($0)'" }.joined(separator: " ")
        return try run(command: ["env"] + environment + ["script", "-qec", words, "/dev/null"])
    }

    /// Runs a command to its end.
    static func run(command: [String], input: Data = Data()) throws -> Result {
        let folder = try Folder("reachctl")
        try input.write(to: folder.file("input"))
        let script = #"exec "$@" <"$0/input" 2>"$0/errors""#
        let (output, status) = try Child.run(["sh", "-c", script, folder.url.path] + command)
        let errors = try Data(contentsOf: folder.file("errors"))
        return Result(
            status: status, output: output, errors: String(decoding: errors, as: UTF8.self))
    }
}

/// The object in one line of JSON.
func parseObject(_ line: String) throws -> [String: Any] {
    let object = try JSONSerialization.jsonObject(with: Data(line.utf8))
    return try #require(object as? [String: Any])
}

extension Child {
    /// Starts a command of the shell whose output is a full pipe; its `$0` is the tool.
    static func stuck(_ command: String) throws -> Child {
        // dd opens the pipe once more: O_NONBLOCK is set for dd alone, and the tool waits for room.
        let fill = "dd if=/dev/zero of=/dev/stdout oflag=nonblock bs=4096 2>/dev/null"
        return try Child(["sh", "-c", "\(fill); exec \(command)", Tool.path])
    }

    /// Waits until the process catches `signal` (SigCgt of proc_pid_status(5)).
    func waitUntilCatching(_ signal: Int32) throws {
        while try !has(signal, in: "SigCgt") {
            try Task.checkCancellation()
            sched_yield()
        }
    }

    /// Whether the process ignores `signal`.
    func ignores(_ signal: Int32) throws -> Bool {
        try has(signal, in: "SigIgn")
    }

    /// Whether a mask of the process's status has `signal`.
    private func has(_ signal: Int32, in name: String) throws -> Bool {
        let status = try String(contentsOfFile: "/proc/\(pid)/status", encoding: .utf8)
        let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("\(name):") })
        let mask = try #require(
            UInt64(line.dropFirst(name.count + 1).drop(while: \.isWhitespace), radix: 16))
        return mask >> UInt64(signal - 1) & 1 == 1
    }
}
