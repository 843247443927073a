// SPDX-License-Identifier: MIT
import Foundation

/// Waits until the library is at rest.
///
/// LeakSanitizer reports memory as leaked if a running thread refers to it only in registers, or by
/// a tagged pointer.
func waitForRest() throws {
    // A monitor that nobody uses ends after five seconds.
    wait(until: "no monitor is left") { !hasMonitor() }
    try wait(until: "all threads sleep", isAtRest)
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
    let files = FileManager.default
    let own = try files.destinationOfSymbolicLink(atPath: "/proc/thread-self")
    let tasks = try files.contentsOfDirectory(atPath: "/proc/self/task")
    return tasks.allSatisfy { task in
        let stat = try? String(contentsOfFile: "/proc/self/task/\(task)/stat", encoding: .utf8)
        let state = stat?.split(separator: ")").last?.split(separator: " ").first
        return own.hasSuffix("/\(task)") || state == nil || state == "S"
    }
}

/// Checks every 10 ms, since neither state has a descriptor to wait for, and traps after 30 s.
func wait(until goal: String, _ isReached: () throws -> Bool) rethrows {
    for _ in 0..<3000 {
        if try isReached() { return }
        usleep(10_000)
    }
    fatalError("not reached within 30 s: \(goal)")
}
