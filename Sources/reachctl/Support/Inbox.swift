// SPDX-License-Identifier: MIT
import NetworkReachability
import ReachLibc

/// The newest value of another thread, and a descriptor that is readable while it has not been taken.
final class Inbox<Value: Sendable>: Sendable {
    private let latest = Lock<Value?>(nil)
    private let reader: Int32
    private let writer: Int32

    /// The descriptors stay open until the tool ends.
    init() throws(Failure) {
        var ends: [Int32] = [-1, -1]
        guard unsafe pipe(&ends) == 0 else { throw .system("cannot open a pipe", errno) }
        for end in ends {
            _ = fcntl(end, F_SETFL, O_NONBLOCK)
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
        }
        (reader, writer) = (ends[0], ends[1])
    }

    /// Can be called from any thread.
    func put(_ value: Value) {
        latest.withLock { $0 = value }
        var byte: UInt8 = 0
        // If the pipe is full, poll() wakes up anyway.
        _ = unsafe write(writer, &byte, 1)
    }

    var polled: pollfd { pollfd(fd: reader, events: Int16(POLLIN), revents: 0) }

    /// The value, if there has been one since the last call.
    func take() -> Value? {
        var bytes = [UInt8](repeating: 0, count: 64)
        while unsafe read(reader, &bytes, bytes.count) > 0 {}
        return latest.withLock { $0.take() }
    }
}
