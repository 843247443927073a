// SPDX-License-Identifier: MIT
// A contender of Harness/latency.c, which starts it with the number of its board's descriptor: a
// listener on a queue of its own.

import CBoard
import Dispatch
import Glibc
import NetworkReachability

guard let number = CommandLine.arguments.dropFirst().first.flatMap({ CInt($0) }),
    let board = board_map(number)
else {
    print("usage: LatencyListener DESCRIPTOR, as Harness/latency.c starts it")
    exit(64)
}

/// The board may be used from any thread.
nonisolated(unsafe) let shared = board
let manager = try NetworkReachabilityManager(address: BOARD_TARGET)
manager.addListener(queue: DispatchQueue(label: "LatencyListener")) { snapshot in
    board_post(shared, snapshot.flags.contains(.reachable))
}
try manager.startMonitoring()
dispatchMain()
