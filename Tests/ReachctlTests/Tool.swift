// SPDX-License-Identifier: MIT
import CTestSupport
import Foundation
import Glibc
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

    /// Runs the tool to its end.
    ///
    /// Output goes to files, so that no pipe can fill up.
    static func run(_ arguments: String..., input: Data = Data()) async throws -> Result {
        try await run(arguments, input: input)
    }

    /// Runs the tool with its output on a terminal, whose lines end in CR LF.
    static func runOnTerminal(_ arguments: String...) async throws -> Result {
        try await runOnTerminal(arguments, ["NO_COLOR": "1"])
    }

    static func runOnTerminal(
        _ arguments: [String], _ environment: [String: String]
    ) async throws -> Result {
        let words = ([path] + arguments).map { "'\($0)'" }
        return try await run(
            ["-qec", words.joined(separator: " "), "/dev/null"], executable: "/usr/bin/script",
            environment: environment)
    }

    /// Runs a program; without a `vector`, the arguments follow the name of the executable.
    static func run(
        _ arguments: [String], input: Data = Data(), executable: String = path,
        vector: [String]? = nil, environment: [String: String] = [:]
    ) async throws -> Result {
        let folder = try Folder("reachctl")
        try input.write(to: folder.file("input"))
        let outputs = try ["output", "errors"].map { name in
            try Data().write(to: folder.file(name))
            return folder.file(name)
        }
        let child = try Child(
            arguments, executable: executable, vector: vector, environment: environment,
            input: FileHandle(forReadingFrom: folder.file("input")),
            output: FileHandle(forWritingTo: outputs[0]),
            errors: FileHandle(forWritingTo: outputs[1]))
        let status = await child.exit()
        return try withExtendedLifetime(folder) {
            try Result(status: status, output: text(of: outputs[0]), errors: text(of: outputs[1]))
        }
    }
}

/// The text of a file, which may be empty: Data(contentsOf:) leaks a buffer then, as of Swift 6.3.
private func text(of file: URL) throws -> String {
    String(decoding: try FileHandle(forReadingFrom: file).readToEnd() ?? Data(), as: UTF8.self)
}

/// The object in one line of JSON.
func parseObject(_ line: String) throws -> [String: Any] {
    let object = try JSONSerialization.jsonObject(with: Data(line.utf8))
    return try #require(object as? [String: Any])
}

/// A running process.
///
/// It is killed when the test that waits for it is cancelled by its time limit. (Foundation's Process
/// is not used: as of Swift 6.3 none of its objects is ever freed, which LeakSanitizer reports.)
struct Child {
    let pid: pid_t

    /// Starts a process with these standard descriptors (nil: /dev/null), and closes them here.
    init(
        _ arguments: [String], executable: String = Tool.path, vector: [String]? = nil,
        environment changes: [String: String] = [:], input: FileHandle? = nil, output: FileHandle,
        errors: FileHandle? = nil
    ) throws {
        var actions = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        for (number, handle) in zip(Int32(0)..., [input, output, errors]) {
            if let handle {
                unsafe posix_spawn_file_actions_adddup2(&actions, handle.fileDescriptor, number)
            } else {
                unsafe posix_spawn_file_actions_addopen(&actions, number, "/dev/null", O_RDWR, 0)
            }
        }
        unsafe test_close_others(&actions)
        // A shell without job control makes background programs ignore these signals.
        var defaults = sigset_t()
        unsafe sigemptyset(&defaults)
        for signal in [SIGINT, SIGQUIT] { unsafe sigaddset(&defaults, signal) }
        var attributes = posix_spawnattr_t()
        unsafe posix_spawnattr_init(&attributes)
        defer { unsafe posix_spawnattr_destroy(&attributes) }
        unsafe posix_spawnattr_setsigdefault(&attributes, &defaults)
        unsafe posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF))
        var pid: pid_t = 0
        let result = unsafe Child.withCStrings(vector ?? [executable] + arguments) { arguments in
            // swift-argument-parser exits within its own frames, which is no leak.
            let environment = ProcessInfo.processInfo.environment
                .merging(["LSAN_OPTIONS": "detect_leaks=0"]) { $1 }.merging(changes) { $1 }
            return unsafe Child.withCStrings(environment.map { "\($0)=\($1)" }) { environment in
                unsafe posix_spawn(&pid, executable, &actions, &attributes, arguments, environment)
            }
        }
        try #require(result == 0, "cannot start \(executable)")
        self.pid = pid
        for handle in [input, output, errors] { try handle?.close() }
    }

    private static func withCStrings<Value>(
        _ strings: [String], _ body: ([UnsafeMutablePointer<CChar>?]) -> Value
    ) -> Value {
        let copies = unsafe strings.map { unsafe strdup($0) }
        defer { unsafe copies.forEach { copy in unsafe free(copy) } }
        return unsafe body(copies + [nil])
    }

    func send(_ signal: Int32) {
        kill(pid, signal)
    }

    /// Waits for the end; see `Tool.Result.status`.
    func exit() async -> Int32 {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                DispatchQueue.global().async { [pid] in
                    var status: Int32 = 0
                    unsafe waitpid(pid, &status, 0)
                    // WIFSIGNALED, WTERMSIG and WEXITSTATUS.
                    let signal = status & 0x7f
                    continuation.resume(returning: signal == 0 ? status >> 8 & 0xff : 128 + signal)
                }
            }
        } onCancel: {
            send(SIGKILL)
        }
    }

    /// Waits until the process catches `signal` (SigCgt of proc_pid_status(5)).
    func waitUntilCatching(_ signal: Int32) async throws {
        while true {
            try Task.checkCancellation()
            if try has(signal, in: "SigCgt") { return }
            await Task.yield()
        }
    }

    /// Whether the process ignores `signal`.
    func ignores(_ signal: Int32) throws -> Bool {
        try has(signal, in: "SigIgn")
    }

    /// Whether a mask of the process's status has `signal`.
    private func has(_ signal: Int32, in name: String) throws -> Bool {
        let status = try text(of: URL(fileURLWithPath: "/proc/\(pid)/status"))
        let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("\(name):") })
        let mask = try #require(
            UInt64(line.dropFirst(name.count + 1).drop(while: \.isWhitespace), radix: 16))
        return mask >> UInt64(signal - 1) & 1 == 1
    }
}

/// The lines of a pipe, read off the test's thread.
///
/// It is a FIFO without a name, since both ends must be close-on-exec from the first moment: a child
/// of another test that inherits the reading end would hide that its reader left.
final class LineReader: Sendable {
    private let reader: FileHandle
    /// The end to give to a child.
    let writer: FileHandle

    init() throws {
        let path = FileManager.default.temporaryDirectory
            .appendingPathComponent("reachctl-\(UUID().uuidString)").path
        try #require(unsafe mkfifo(path, 0o600) == 0)
        defer { unsafe unlink(path) }
        let ends = unsafe (
            open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC), open(path, O_WRONLY | O_CLOEXEC)
        )
        try #require(ends.0 >= 0 && ends.1 >= 0)
        _ = fcntl(ends.0, F_SETFL, 0)
        reader = FileHandle(fileDescriptor: ends.0, closeOnDealloc: true)
        writer = FileHandle(fileDescriptor: ends.1, closeOnDealloc: true)
    }

    /// The next line; nil at the end.
    func line() async -> String? {
        await withCheckedContinuation { continuation in
            DispatchQueue.global().async { [reader] in
                var bytes: [UInt8] = []
                var byte: UInt8 = 0
                while unsafe read(reader.fileDescriptor, &byte, 1) == 1 {
                    guard byte != UInt8(ascii: "\n") else {
                        continuation.resume(returning: String(decoding: bytes, as: UTF8.self))
                        return
                    }
                    bytes.append(byte)
                }
                continuation.resume(returning: nil)
            }
        }
    }

    /// Fills the pipe.
    func fill() {
        let descriptor = writer.fileDescriptor
        _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
        let block = [UInt8](repeating: 0, count: 4096)
        while unsafe write(descriptor, block, block.count) > 0 {}
        _ = fcntl(descriptor, F_SETFL, 0)
    }

    /// Closes the reading end.
    func close() throws {
        try reader.close()
    }
}
