// SPDX-License-Identifier: MIT
import Foundation
import Synchronization

/// Prints the stacks of all threads and aborts if one of several workers makes no progress.
package final class Watchdog: Sendable {
    private let steps: Mutex<[Int]>
    private let isOver = Atomic(false)
    private let ended = DispatchSemaphore(value: 0)

    /// - Parameters:
    ///   - workers: The number of workers, which are numbered from 0.
    ///   - patience: The seconds that one step may take.
    package init(workers: Int, patience: Int) {
        steps = Mutex(Array(repeating: 0, count: workers))
        Thread.detachNewThread { [self] in
            watch(patience)
            ended.signal()
        }
    }

    /// Counts a step of a worker.
    package func step(_ worker: Int) {
        steps.withLock { $0[worker] += 1 }
    }

    /// Stops watching a worker.
    package func leave(_ worker: Int) {
        steps.withLock { $0[worker] = -1 }
    }

    package func end() {
        isOver.store(true, ordering: .releasing)
        ended.wait()
    }

    private func watch(_ patience: Int) {
        var last = steps.withLock { $0 }
        var idle = Array(repeating: 0, count: last.count)
        while !isOver.load(ordering: .acquiring) {
            sleep(1)
            let now = steps.withLock { $0 }
            for worker in now.indices {
                idle[worker] = now[worker] < 0 || now[worker] != last[worker] ? 0 : idle[worker] + 1
            }
            last = now
            guard let stuck = idle.firstIndex(where: { $0 >= patience }) else { continue }
            print("worker \(stuck) of \(now.count) has stood still for \(patience) s")
            printThreads()
            abort()
        }
    }
}

/// Prints the state and the stack of each thread of this process.
private func printThreads() {
    let tasks = "/proc/self/task"
    for task in (try? FileManager.default.contentsOfDirectory(atPath: tasks).sorted()) ?? [] {
        let facts = ["comm", "wchan", "syscall"].map { file in
            let text = try? String(contentsOfFile: "\(tasks)/\(task)/\(file)", encoding: .utf8)
            return text?.trimmingCharacters(in: .whitespacesAndNewlines) ?? "-"
        }
        print(task, facts.joined(separator: " | "))
    }
    // gdb stops this process meanwhile, so this process can't read a pipe.
    let output = "/tmp/threads-\(getpid())"
    let gdb = "gdb -batch -nx -p \(getpid()) -ex 'thread apply all bt 24' >\(output) 2>/dev/null"
    if var child = try? Child(["sh", "-c", gdb]) { _ = child.finish() }
    print((try? String(contentsOfFile: output, encoding: .utf8)) ?? "no gdb")
    try? FileManager.default.removeItem(atPath: output)
    fflush(nil)
}
