// SPDX-License-Identifier: MIT
// Contenders of Harness/latency.c, which starts it with the number of its board's descriptor and what
// is to post: a listener on a queue of its own, the second of two, or a task that iterates.

import CBoard
import Dispatch
import Glibc
import NetworkReachability

guard CommandLine.arguments.count == 3, let number = CInt(CommandLine.arguments[1]),
    let board = board_map(number)
else {
    print("usage: LatencyListener DESCRIPTOR listener|two|sequence, as Harness/latency.c starts it")
    exit(64)
}

/// The board may be used from any thread.
nonisolated(unsafe) let shared = board
let manager = try NetworkReachabilityManager(address: BOARD_TARGET)
let post: @Sendable (ReachabilitySnapshot) -> Void = { snapshot in
    board_post(shared, snapshot.flags.contains(.reachable))
}
switch CommandLine.arguments[2] {
case "sequence":
    Task.detached {
        for try await snapshot in manager.snapshots { post(snapshot) }
    }
case "two":
    manager.addListener(queue: DispatchQueue(label: "LatencyListener.first")) { _ in }
    fallthrough
default:
    manager.addListener(queue: DispatchQueue(label: "LatencyListener"), post)
    try manager.startMonitoring()
}
dispatchMain()
