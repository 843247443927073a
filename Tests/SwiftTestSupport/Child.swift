// SPDX-License-Identifier: MIT
import CTestSupport
import Glibc

/// A system call or a call of the C API that failed, with its purpose.
package struct SystemFailure: Error, CustomStringConvertible {
    package let doing: String
    package let code: CInt

    package init(doing: String, code: CInt) {
        self.doing = doing
        self.code = code
    }

    package var description: String { "\(doing): \(unsafe String(cString: strerror(code)))" }

    /// Returns a result, or throws the error that a negative one stands for.
    @discardableResult
    package static func check(_ doing: String, _ result: CInt) throws -> CInt {
        guard result >= 0 else { throw SystemFailure(doing: doing, code: -result) }
        return result
    }
}

/// A command that ended with a status other than 0.
package struct CommandFailure: Error, CustomStringConvertible {
    package let command: String
    package let status: CInt
    package let output: String

    package var description: String { "'\(command)' ended with \(status): \(output)" }
}

/// Seconds of CLOCK_MONOTONIC, for deadlines only.
package func monotonicSeconds() -> Double {
    var now = timespec()
    unsafe clock_gettime(CLOCK_MONOTONIC, &now)
    return Double(now.tv_sec) + Double(now.tv_nsec) / 1e9
}

/// Waits until a descriptor is readable; false when the time has passed.
package func waitReadable(_ descriptor: CInt, until deadline: Double) -> Bool {
    var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    while true {
        let left = max(0, deadline - monotonicSeconds())
        let result = unsafe poll(&entry, 1, CInt((left * 1000).rounded(.up)))
        if result > 0 { return true }
        if result == 0 || errno != EINTR { return false }
    }
}

/// Runs `body` in a child of fork(), which exits with its result, and returns the child's pid.
///
/// With `atRest`, it waits until no other thread runs: one that creates a type holds a lock of Swift's runtime, for which
/// the child would wait for ever. A child that hangs is killed after five minutes.
package func fork(atRest: Bool = false, _ body: () -> CInt) -> CInt {
    if atRest { test_await_rest() }
    let child = test_fork()
    if child == 0 {
        alarm(300)
        _exit(body())
    }
    return child
}

/// Gives the calling thread its own table of descriptors, a copy of the process's.
package func unshareDescriptors() throws {
    try SystemFailure.check("unshare", test_unshare_descriptors())
}

/// Waits for a child, and returns its exit status, or 128 plus the signal's number.
package func wait(for child: CInt) -> CInt {
    test_wait(child)
}

/// A running child; killed and collected when it goes out of scope.
package struct Child: ~Copyable {
    package let pid: Int32
    private var input: CInt
    private var output: CInt
    private var buffer: [UInt8]
    private var running = true

    /// A child that dies early must not end the tests with SIGPIPE.
    private static let brokenPipeIgnored: Void = { _ = signal(SIGPIPE, SIG_IGN) }()

    /// Starts a command, in the network namespace of that descriptor if there is one.
    package init(_ arguments: [String], in descriptor: CInt = -1) throws {
        _ = Child.brokenPipeIgnored
        var child = test_child()
        var copies: [UnsafeMutablePointer<CChar>?] = unsafe arguments.map { unsafe strdup($0) }
        unsafe copies.append(nil)
        defer { unsafe copies.forEach { unsafe free($0) } }
        let result = unsafe test_spawn(descriptor, &copies, &child)
        try SystemFailure.check("cannot start \(arguments[0]); is it installed?", result)
        pid = child.pid
        input = child.input
        output = child.output
        buffer = []
    }

    deinit {
        close(input)
        close(output)
        if running {
            kill(pid, SIGKILL)
            _ = test_wait(pid)
        }
    }

    /// Writes all of a text to its standard input and closes it.
    package mutating func finishInput(_ text: String) {
        write(text)
        close(input)
        input = -1
    }

    /// Closes the pipe of its output, as a reader that leaves does.
    package mutating func closeOutput() {
        close(output)
        output = -1
    }

    /// Writes all of a text to its standard input.
    package mutating func write(_ text: String) {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let written = unsafe rest.withUnsafeBytes { bytes in
                unsafe Glibc.write(input, bytes.baseAddress, bytes.count)
            }
            guard written > 0 else { break }
            rest = rest.dropFirst(written)
        }
    }

    /// The next line of its output; nil at the end, or if there is none in five minutes.
    package mutating func line() -> String? {
        let deadline = monotonicSeconds() + 300
        while true {
            if let end = buffer.firstIndex(of: UInt8(ascii: "\n")) {
                let line = String(decoding: buffer[..<end], as: UTF8.self)
                buffer.removeFirst(end + 1)
                return line
            }
            guard waitReadable(output, until: deadline), fill() else { return nil }
        }
    }

    /// The rest of its output, and its exit status.
    package mutating func finish() -> (output: String, status: CInt) {
        while fill() {}
        return (String(decoding: buffer, as: UTF8.self), exit())
    }

    /// Sends it a signal, and waits for its end.
    package mutating func end(by signal: CInt = SIGTERM) -> (output: String, status: CInt) {
        kill(pid, signal)
        return finish()
    }

    /// Runs a command to its end, and returns its output and its exit status.
    package static func run(
        _ arguments: [String], in descriptor: CInt = -1
    ) throws -> (output: String, status: CInt) {
        var child = try Child(arguments, in: descriptor)
        return child.finish()
    }

    /// Its exit status, without a look at its output.
    package mutating func exit() -> CInt {
        running = false
        return test_wait(pid)
    }

    /// Like `finish()`, without what the tool says of a name that isn't resolved after a second, on a busy machine.
    package mutating func finishWithoutNotice() -> (output: String, status: CInt) {
        let (output, status) = finish()
        let lines = output.split(separator: "\n", omittingEmptySubsequences: false)
        let rest = lines.filter { !$0.hasPrefix("reachctl: no name server has answered yet; ") }
        return (rest.joined(separator: "\n"), status)
    }

    private mutating func fill() -> Bool {
        var chunk = [UInt8](repeating: 0, count: 65536)
        let count = unsafe read(output, &chunk, chunk.count)
        guard count > 0 else { return false }
        buffer.append(contentsOf: chunk[..<count])
        return true
    }
}
