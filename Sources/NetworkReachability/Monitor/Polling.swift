// SPDX-License-Identifier: MIT

internal import Cepoll
internal import ReachLibc

// EPOLLIN and EPOLLONESHOT, which Glibc and Musl import as different types.
let epollReadable: UInt32 = 1
let epollOnce: UInt32 = 1 << 30

/// CLOCK_MONOTONIC in nanoseconds.
package func monotonicNanoseconds() -> UInt64 {
    var time = timespec()
    unsafe clock_gettime(CLOCK_MONOTONIC, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
}

func controlEpoll(
    _ set: CInt, _ operation: CInt, _ descriptor: CInt, _ events: UInt32
) throws(ReachabilityErrno) {
    var event = unsafe epoll_event(events: events, data: epoll_data_t(fd: descriptor))
    guard unsafe epoll_ctl(set, operation, descriptor, &event) == 0 else { throw .current }
}
