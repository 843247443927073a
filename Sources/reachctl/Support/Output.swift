// SPDX-License-Identifier: MIT
import ReachLibc

/// Standard output, a line at a time.
struct Output {
    /// Whether the reader has closed the output or a signal was caught: no more is written.
    private(set) var isEnded = false
    private let waiter: Waiter
    private var buffer: [UInt8] = []

    /// Bytes that are buffered before flush() is called.
    private static let capacity = 65536

    /// After poll() a pipe has room for PIPE_BUF bytes: a write of that size does not block, and signals
    /// are handled in time.
    private static let chunk = Int(PIPE_BUF)

    /// Whether standard output is a terminal.
    let isTerminal = isatty(STDOUT_FILENO) == 1

    init(waiter: Waiter = Waiter()) {
        self.waiter = waiter
    }

    /// Adds a line, which may be buffered until flush().
    mutating func line(_ text: String) throws(Failure) {
        buffer.append(contentsOf: text.utf8)
        buffer.append(UInt8(ascii: "\n"))
        if buffer.count >= Output.capacity { try flush() }
    }

    /// Writes the buffered lines.
    ///
    /// A closed pipe is no error: see `isEnded`.
    mutating func flush() throws(Failure) {
        var rest = buffer[...]
        while !rest.isEmpty && !isEnded {
            var descriptors = [
                pollfd(fd: STDOUT_FILENO, events: Int16(POLLOUT), revents: 0)
            ]
            guard try waiter.wait(for: &descriptors) else {
                isEnded = true
                break
            }
            guard descriptors[0].revents != 0 else { continue }
            let written = unsafe rest.prefix(Output.chunk).withUnsafeBytes { bytes in
                unsafe write(STDOUT_FILENO, bytes.baseAddress, bytes.count)
            }
            let error = errno
            if written >= 0 {
                rest = rest.dropFirst(written)
            } else if error == EPIPE {
                isEnded = true
            } else if error != EINTR && error != EAGAIN {
                throw .system("cannot write to standard output", error)
            }
        }
        buffer.removeAll(keepingCapacity: true)
    }
}
