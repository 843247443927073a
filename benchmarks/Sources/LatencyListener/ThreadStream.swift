// SPDX-License-Identifier: MIT

import CBoard
import CReach
import Glibc
import NetworkReachability

/// The lower bound for sequences: a thread that polls the C library and yields to an AsyncStream.
func changesOnThread() -> AsyncStream<Bool> {
    let (stream, continuation) = AsyncStream.makeStream(of: Bool.self)
    let box = Unmanaged.passRetained(Box(continuation: continuation)).toOpaque()
    var thread = pthread_t()
    pthread_create(
        &thread, nil,
        { box in
            if let box {
                yieldChanges(to: Unmanaged<Box>.fromOpaque(box).takeRetainedValue().continuation)
            }
            return nil
        }, box)
    return stream
}

private final class Box: Sendable {
    let continuation: AsyncStream<Bool>.Continuation
    init(continuation: AsyncStream<Bool>.Continuation) { self.continuation = continuation }
}

private func yieldChanges(to continuation: AsyncStream<Bool>.Continuation) {
    var monitor: OpaquePointer?
    var target = reach_target()
    var change = reach_change()
    var id: UInt64 = 0
    reach_target_init(&target, .REACH_TARGET_ADDRESS)
    change.size = MemoryLayout<reach_change>.size
    guard reach_address_parse(BOARD_TARGET, &target.remote) == 0,
        reach_monitor_open(&monitor, nil) == 0,
        let monitor, reach_monitor_add(monitor, &target, &id) == 0
    else { fatalError("no monitor") }
    var descriptor = pollfd(fd: reach_monitor_fd(monitor), events: Int16(POLLIN), revents: 0)
    while reach_monitor_dispatch(monitor) >= 0 {
        while reach_monitor_next(monitor, &change) == 1 {
            continuation.yield(ReachabilityFlags(rawValue: change.state.flags).contains(.reachable))
        }
        poll(&descriptor, 1, -1)
    }
}
