// SPDX-License-Identifier: MIT

// Every way to be told of a change, begun and ended many times, for LeakSanitizer. It looks for
// memory that nothing refers to when a process exits, and takes what a running thread has only in
// registers, or a tag in, for lost. So this program exits once the monitor's loop is at rest, which
// the tests cannot wait for.

import Dispatch
import Foundation
import NetworkReachability
import SystemConfiguration

private let queue = DispatchQueue(label: "LeakCheck")
private let rounds = 200

private func hear(_ target: ReachabilityTarget) throws {
    let heard = DispatchSemaphore(value: 0)
    let manager = try NetworkReachabilityManager(target: target)
    let listener = manager.addListener(queue: queue) { _ in heard.signal() }
    let observation = manager.observe(\.flags, options: [.initial, .new], queue: queue) { _, _ in
        heard.signal()
    }
    manager.setReachabilityStatusChangeBlock(queue: queue) { _ in heard.signal() }
    let task = Task {
        for try await _ in manager.snapshots { heard.signal() }
    }
    try manager.startMonitoring()
    for _ in 0..<4 { heard.wait() }
    listener.cancel()
    observation.invalidate()
    task.cancel()
    manager.stopMonitoring()
}

/// A wait that is cancelled and one that is not, both with a timer.
private func waitTwice(_ target: ReachabilityTarget) throws {
    let ended = DispatchSemaphore(value: 0)
    let manager = try NetworkReachabilityManager(target: target)
    let cancelled = Task {
        _ = try? await manager.wait(timeout: .seconds(1000)) { _ in false }
        ended.signal()
    }
    Task {
        _ = try? await manager.wait(timeout: .seconds(1000)) { _ in true }
        cancelled.cancel()
        ended.signal()
    }
    for _ in 0..<2 { ended.wait() }
}

/// A timer with a queue of its own would take a thread, which ends seconds later only.
private func waitInTurn() throws {
    let ended = DispatchSemaphore(value: 0)
    let manager = try NetworkReachabilityManager(target: .internet)
    Task {
        for _ in 0..<3000 { _ = try? await manager.wait(timeout: .seconds(1000)) { _ in true } }
        ended.signal()
    }
    ended.wait()
    let threads = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/task").count
    guard threads <= 32 else { fatalError("\(threads) threads") }
}

private func schedule() {
    guard let target = unsafe SCNetworkReachabilityCreateWithName(nil, "127.0.0.1") else { return }
    var context = unsafe SCNetworkReachabilityContext()
    unsafe SCNetworkReachabilitySetCallback(target, { _, _, _ in }, &context)
    SCNetworkReachabilitySetDispatchQueue(target, queue)
    var flags = SCNetworkReachabilityFlags()
    unsafe SCNetworkReachabilityGetFlags(target, &flags)
    SCNetworkReachabilitySetDispatchQueue(target, nil)
}

/// Whether the process has a netlink socket, as each monitor does.
private func hasMonitor() -> Bool {
    (0..<256 as Range<CInt>).contains { descriptor in
        var domain: CInt = 0
        var size = socklen_t(MemoryLayout.size(ofValue: domain))
        return unsafe getsockopt(descriptor, SOL_SOCKET, SO_DOMAIN, &domain, &size) == 0
            && domain == AF_NETLINK
    }
}

/// Whether all threads but this one sleep (proc_pid_stat(5)).
private func isAtRest() throws -> Bool {
    let tasks = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/task")
    return tasks.allSatisfy { task in
        let stat = try? String(contentsOfFile: "/proc/self/task/\(task)/stat", encoding: .utf8)
        let state = stat?.split(separator: ")").last?.split(separator: " ").first
        return CInt(task) == getpid() || state == nil || state == "S"
    }
}

/// Looks every 10 ms, since neither state has a descriptor to wait for, and ends the process after 30 s.
private func wait(until goal: String, _ isReached: () throws -> Bool) rethrows {
    for _ in 0..<3000 {
        if try isReached() { return }
        usleep(10_000)
    }
    fatalError("after 30 s it is not so that \(goal)")
}

for target in [.internet, try .domain("127.0.0.1"), try .domain("localhost")]
    as [ReachabilityTarget]
{
    for _ in 0..<rounds { try hear(target) }
    for _ in 0..<rounds { try waitTwice(target) }
}
for _ in 0..<rounds { schedule() }
try waitInTurn()
// A monitor that nobody uses ends after five seconds.
wait(until: "no monitor is left") { !hasMonitor() }
try wait(until: "all threads sleep", isAtRest)
