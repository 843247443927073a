// SPDX-License-Identifier: MIT
// Counts the allocations from a change in the kernel to the call of a closure, in all threads of the
// process, and prints their number per change. allocations.sh compares it with its limits.

import AllocationCounter
import CReach
import Dispatch
import Glibc
import NetworkReachability

let forms = "monitor|listener|two|main|sequence|observer|managers"
guard CommandLine.arguments.count == 2,
    forms.split(separator: "|").contains(CommandLine.arguments[1][...])
else {
    print("usage: Allocations \(forms)")
    exit(64)
}
let form = CommandLine.arguments[1]
let socket = enterNamespace()

/// The C library alone, on this thread.
func countMonitor() -> Never {
    var monitor: OpaquePointer?
    var target = reach_target()
    var change = reach_change()
    var id: UInt64 = 0
    reach_target_init(&target, .REACH_TARGET_ADDRESS)
    change.size = MemoryLayout<reach_change>.size
    guard reach_address_parse("192.0.2.1", &target.remote) == 0,
        reach_monitor_open(&monitor, nil) == 0,
        let monitor, reach_monitor_add(monitor, &target, &id) == 0
    else { fatalError("no monitor") }
    var descriptor = pollfd(fd: reach_monitor_fd(monitor), events: Int16(POLLIN), revents: 0)
    countAllocations(socket: socket) {
        while reach_monitor_next(monitor, &change) != 1 {
            poll(&descriptor, 1, -1)
            guard reach_monitor_dispatch(monitor) >= 0 else { fatalError("no dispatch") }
        }
    }
}

let told = DispatchSemaphore(value: 0)
let manager = try NetworkReachabilityManager(address: "192.0.2.1")
let queue = DispatchQueue(label: "Allocations")

switch form {
case "monitor": countMonitor()
case "two":
    manager.addListener(queue: DispatchQueue(label: "Allocations.first")) { _ in }
    fallthrough
case "listener": manager.addListener(queue: queue) { _ in told.signal() }
case "main": manager.addListener { _ in told.signal() }
case "observer":
    let observation = manager.observe(\.isReachable, queue: queue) { _, _ in
        told.signal()
    }
    try manager.startMonitoring()
    withExtendedLifetime(observation) { countAllocations(socket: socket) { told.wait() } }
case "managers":
    let managers = try (0..<20).map { _ in try NetworkReachabilityManager(address: "192.0.2.1") }
    for manager in managers {
        manager.addListener(queue: queue) { _ in told.signal() }
        try manager.startMonitoring()
    }
    countAllocations(socket: socket) { for _ in managers { told.wait() } }
default:
    Task.detached {
        for try await _ in manager.snapshots { told.signal() }
    }
}
if form != "sequence" { try manager.startMonitoring() }
if form != "main" { countAllocations(socket: socket) { told.wait() } }
DispatchQueue(label: "Allocations.changes").async {
    countAllocations(socket: socket) { told.wait() }
}
dispatchMain()
