// SPDX-License-Identifier: MIT

#if canImport(CReach)
internal import Cepoll
internal import ReachLibc

/// A timer descriptor (timerfd_create(2)): readable once its time has come, until it is read.
package final class TimerDescriptor: Sendable {
    package let descriptor: CInt

    /// Creates a timer of CLOCK_MONOTONIC that isn't set.
    package convenience init() throws(ReachabilityErrno) {
        let descriptor = timerfd_create(CLOCK_MONOTONIC, O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw .current }
        self.init(owning: descriptor)
    }

    /// Takes ownership of an open, non-blocking timer descriptor.
    package init(owning descriptor: CInt) {
        self.descriptor = descriptor
    }

    deinit {
        close(descriptor)
    }

    /// Replaces the time, in nanoseconds of the timer's clock; nil for none.
    package func set(to time: UInt64?) {
        var new = itimerspec()
        if let time {
            // 0 would disarm the timer.
            new.it_value.tv_sec = Int(time / 1_000_000_000)
            new.it_value.tv_nsec = Int(max(time, 1) % 1_000_000_000)
        }
        _ = unsafe timerfd_settime(descriptor, absolute, &new, nil)
    }

    /// Makes the descriptor readable now.
    package func expire() {
        set(to: 1)
    }

    /// Makes the descriptor unreadable until the timer expires again.
    package func take() {
        var expirations: UInt64 = 0
        _ = unsafe read(descriptor, &expirations, MemoryLayout.size(ofValue: expirations))
    }
}

// TFD_TIMER_ABSTIME, which Glibc and Musl import as different types.
private let absolute: CInt = 1

// EPOLLIN and EPOLLONESHOT, which Glibc and Musl import as different types.
let epollReadable: UInt32 = 1
let epollOnce: UInt32 = 1 << 30

/// CLOCK_MONOTONIC in nanoseconds.
package func monotonicNanoseconds() -> UInt64 {
    var time = timespec()
    unsafe clock_gettime(CLOCK_MONOTONIC, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
}

/// CLOCK_MONOTONIC in milliseconds.
package func monotonicMilliseconds() -> Int64 { Int64(monotonicNanoseconds() / 1_000_000) }

func controlEpoll(
    _ set: CInt, _ operation: CInt, _ descriptor: CInt, _ events: UInt32
) throws(ReachabilityErrno) {
    var event = unsafe epoll_event(events: events, data: epoll_data_t(fd: descriptor))
    guard unsafe epoll_ctl(set, operation, descriptor, &event) == 0 else { throw .current }
}
#endif
