// SPDX-License-Identifier: MIT
import ReachLibc

/// Standard output, line by line.
struct Output {
    /// Whether the reader closed the output, or a signal was caught; later lines are dropped.
    private(set) var isEnded = false
    private let waiter: Waiter
    private var buffer: [UInt8] = []

    /// How many bytes to buffer before a flush.
    private static let capacity = 65536

    /// The most bytes per write.
    ///
    /// When poll() reports POLLOUT, a pipe has room for PIPE_BUF bytes. So the write doesn't block,
    /// and signals are handled in time.
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
    /// A closed pipe isn't an error; see `isEnded`.
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
