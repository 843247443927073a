// SPDX-License-Identifier: MIT
import Foundation
import Glibc
import Testing

/// The tool as its users run it: a child process.
enum Tool {
    /// What a run left behind.
    struct Result {
        /// The exit status, or 128 and the signal's number.
        let status: Int32
        let output: String
        let errors: String

        var lines: [String] { output.split(separator: "\n").map(String.init) }

        /// Each line parsed as one JSON object.
        func objects() throws -> [[String: Any]] {
            try lines.map(parseObject)
        }
    }

    /// Next to the program that runs the tests, unless REACHCTL names another build.
    static let path: String = {
        if let other = ProcessInfo.processInfo.environment["REACHCTL"] { return other }
        return URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
            .deletingLastPathComponent().appendingPathComponent("reachctl").path
    }()

    /// Runs the tool to its end.
    ///
    /// Output goes to files, so that no pipe can fill up.
    static func run(_ arguments: String..., input: Data = Data()) async throws -> Result {
        try await run(arguments, input: input)
    }

    static func run(
        _ arguments: [String], input: Data = Data(), executable: String = path
    ) async throws -> Result {
        try await Scratch.with { scratch in
            let files = try (scratch.file(input), scratch.file(), scratch.file())
            let child = try Child(
                arguments, executable: executable, input: FileHandle(forReadingFrom: files.0),
                output: FileHandle(forWritingTo: files.1), errors: FileHandle(forWritingTo: files.2)
            )
            let status = await child.exit()
            return try Result(
                status: status,
                output: String(decoding: Data(contentsOf: files.1), as: UTF8.self),
                errors: String(decoding: Data(contentsOf: files.2), as: UTF8.self))
        }
    }
}

/// The object in one line of JSON.
func parseObject(_ line: String) throws -> [String: Any] {
    let object = try JSONSerialization.jsonObject(with: Data(line.utf8))
    return try #require(object as? [String: Any])
}

/// A directory that goes away again.
struct Scratch {
    private let directory: URL

    static func with<Value>(_ body: (Scratch) async throws -> Value) async throws -> Value {
        let directory = FileManager.default.temporaryDirectory
            .appendingPathComponent("reachctl-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(at: directory) }
        return try await body(Scratch(directory: directory))
    }

    func file(_ content: Data = Data()) throws -> URL {
        let url = directory.appendingPathComponent(UUID().uuidString)
        try content.write(to: url)
        return url
    }
}

/// A running process.
///
/// It is killed when the test that waits for it is cancelled by its time limit.
struct Child {
    let pid: pid_t
    private let ended: AsyncStream<Int32>

    init(
        _ arguments: [String], executable: String = Tool.path,
        input: FileHandle = .nullDevice, output: Any, errors: Any = FileHandle.nullDevice
    ) throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: executable)
        process.arguments = arguments
        process.standardInput = input
        process.standardOutput = output
        process.standardError = errors
        let (stream, continuation) = AsyncStream<Int32>.makeStream()
        process.terminationHandler = { process in
            let isSignal = process.terminationReason == .uncaughtSignal
            continuation.yield(process.terminationStatus + (isSignal ? 128 : 0))
            continuation.finish()
        }
        ended = stream
        try process.run()
        pid = process.processIdentifier
    }

    func send(_ signal: Int32) {
        kill(pid, signal)
    }

    /// Waits for the end; see `Tool.Result.status`.
    func exit() async -> Int32 {
        await withTaskCancellationHandler {
            // A fresh task has no cancellation, so the kill below is seen as the end it is.
            await Task.detached { [ended] in
                for await status in ended { return status }
                return -1
            }.value
        } onCancel: {
            send(SIGKILL)
        }
    }

    /// Waits until the process catches `signal` (SigCgt of proc_pid_status(5)).
    func waitUntilCatching(_ signal: Int32) async throws {
        while true {
            try Task.checkCancellation()
            let status = try String(contentsOfFile: "/proc/\(pid)/status", encoding: .utf8)
            let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("SigCgt:") })
            let mask = try #require(
                UInt64(line.dropFirst(7).drop(while: \.isWhitespace), radix: 16))
            if mask >> UInt64(signal - 1) & 1 == 1 { return }
            await Task.yield()
        }
    }
}

/// The lines of a pipe, read off the test's thread.
final class LineReader: Sendable {
    let pipe = Pipe()

    /// The next line; nil at the end.
    func line() async -> String? {
        let reader = pipe.fileHandleForReading.fileDescriptor
        return await withCheckedContinuation { continuation in
            DispatchQueue.global().async {
                var bytes: [UInt8] = []
                var byte: UInt8 = 0
                while unsafe read(reader, &byte, 1) == 1 {
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

    /// No one will read any more.
    func close() throws {
        try pipe.fileHandleForReading.close()
    }
}
