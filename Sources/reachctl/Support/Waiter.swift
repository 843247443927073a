// SPDX-License-Identifier: MIT
import NetworkReachability
import ReachLibc

/// The pipe that makes a signal wake poll(); global, since a signal handler has no context.
///
/// If pipe() failed, both ends are its error as a negative errno.
private let signalPipe: (reader: Int32, writer: Int32) = {
    var ends: [Int32] = [-1, -1]
    guard unsafe pipe(&ends) == 0 else { return (-errno, -errno) }
    for end in ends {
        _ = fcntl(end, F_SETFL, O_NONBLOCK)
        _ = fcntl(end, F_SETFD, FD_CLOEXEC)
    }
    return (ends[0], ends[1])
}()

/// Waits for descriptors, and for signals that end the tool.
struct Waiter {
    /// The read end of the signal pipe; -1, which poll() ignores, to wait for descriptors only.
    private let signals: Int32

    /// Waits for descriptors only.
    init() {
        signals = -1
    }

    /// Catches the signals `numbers` from now on, except those that the parent has set to SIG_IGN.
    init(catching numbers: [Int32]) throws(Failure) {
        signals = signalPipe.reader
        guard signals >= 0 else { throw .system("cannot open a pipe", -signals) }
        for number in numbers where !Waiter.isIgnored(number) {
            _ = signal(number) { number in
                let error = errno
                var byte = UInt8(truncatingIfNeeded: number)
                // If the pipe is full, poll() wakes up anyway.
                _ = unsafe write(signalPipe.writer, &byte, 1)
                errno = error
            }
        }
        Waiter.unblock(numbers)
    }

    /// Restores the default action of a signal, unless the parent has set it to SIG_IGN.
    static func restore(_ number: Int32) {
        guard !isIgnored(number) else { return }
        _ = signal(number, SIG_DFL)
        unblock([number])
    }

    /// Unblocks signals.
    ///
    /// The tool inherits the mask, and a parent may start it on a pool's thread, which blocks
    /// signals.
    private static func unblock(_ numbers: [Int32]) {
        var mask = sigset_t()
        unsafe sigemptyset(&mask)
        for number in numbers { unsafe sigaddset(&mask, number) }
        unsafe sigprocmask(SIG_UNBLOCK, &mask, nil)
    }

    /// Takes the number of a caught signal after `wait` has returned false; nil if there is none.
    var caughtSignal: Int32? {
        var byte: UInt8 = 0
        return unsafe read(signals, &byte, 1) == 1 ? Int32(byte) : nil
    }

    private static func isIgnored(_ signal: Int32) -> Bool {
        var action = sigaction()
        guard unsafe sigaction(signal, nil, &action) == 0 else { return false }
        #if canImport(Glibc)
        let current = unsafe unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self)
        #else
        let current = unsafe unsafeBitCast(action.__sa_handler.sa_handler, to: Int.self)
        #endif
        return unsafe current == unsafeBitCast(SIG_IGN, to: Int.self)
    }

    /// Waits until a descriptor is ready.
    ///
    /// If another signal interrupts the wait, `revents` is 0 for every descriptor.
    ///
    /// - Parameters:
    ///   - descriptors: The descriptors and events to wait for; `revents` is set.
    ///   - milliseconds: The timeout; nil waits without limit.
    /// - Returns: False if a signal was caught, during this wait or before.
    /// - Throws: A system error of poll(), in practice only ENOMEM.
    func wait(for descriptors: inout [pollfd], milliseconds: Int64? = nil) throws(Failure) -> Bool {
        descriptors.append(pollfd(fd: signals, events: Int16(POLLIN), revents: 0))
        defer { descriptors.removeLast() }
        let limit = milliseconds.map { Int32(clamping: max(0, $0)) } ?? -1
        let result = unsafe poll(&descriptors, nfds_t(descriptors.count), limit)
        let error = errno
        guard result >= 0 || error == EINTR else { throw .system("cannot wait", error) }
        if result < 0 {
            for position in descriptors.indices { descriptors[position].revents = 0 }
        }
        return descriptors[descriptors.count - 1].revents == 0
    }
}
