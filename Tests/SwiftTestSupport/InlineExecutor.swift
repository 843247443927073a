// SPDX-License-Identifier: MIT

/// Runs each job at once, on the thread that enqueues it.
package final class InlineExecutor: TaskExecutor {
    package static let shared = InlineExecutor()

    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        unsafe job.runSynchronously(on: asUnownedTaskExecutor())
    }
}
