// SPDX-License-Identifier: MIT
// Contenders of Harness/latency.c, which starts this with the number of its board's descriptor and a mode.

import BareThread
import CBoard
import Dispatch
import Glibc
import NetworkReachability

guard CommandLine.arguments.count == 3, let number = CInt(CommandLine.arguments[1]),
    let board = board_map(number)
else {
    print("usage: LatencyListener DESCRIPTOR MODE, as Harness/latency.c starts it")
    exit(64)
}

/// The board may be used from any thread.
nonisolated(unsafe) let shared = board
let post: @Sendable (ReachabilitySnapshot) -> Void = { snapshot in
    board_post(shared, snapshot.flags.contains(.reachable))
}

func manager(_ address: String = BOARD_TARGET) -> NetworkReachabilityManager {
    guard let manager = try? NetworkReachabilityManager(address: address) else {
        fatalError("\(address): no manager")
    }
    return manager
}

/// Starts twenty managers, each with its own queue; only the last one posts.
func startManagers() throws -> [NetworkReachabilityManager] {
    let managers = (1...19).map { manager("9.9.9.\($0)") } + [manager()]
    for (index, manager) in managers.enumerated() {
        let isLast = index == managers.count - 1
        manager.addListener(queue: DispatchQueue(label: "LatencyListener.\(index)")) { snapshot in
            if isLast { post(snapshot) }
        }
        try manager.startMonitoring()
    }
    return managers
}

// A yardstick doesn't use them.
let target = manager()
let queue = DispatchQueue(label: "LatencyListener")
var managers: [NetworkReachabilityManager] = []
switch CommandLine.arguments[2] {
case "bare-main":
    startBareThread { isReachable in
        DispatchQueue.main.async { board_post(shared, isReachable) }
    }
case "bare-stream":
    let (changes, continuation) = AsyncStream.makeStream(of: Bool.self)
    startBareThread { continuation.yield($0) }
    Task.detached {
        for await isReachable in changes { board_post(shared, isReachable) }
    }
case "managers": managers = try startManagers()
case "sequence":
    Task.detached {
        for try await snapshot in target.snapshots { post(snapshot) }
    }
case "main":
    target.addListener(post)
    try target.startMonitoring()
case "two":
    target.addListener(queue: DispatchQueue(label: "LatencyListener.first")) { _ in }
    fallthrough
default:
    target.addListener(queue: queue, post)
    try target.startMonitoring()
}
dispatchMain()
