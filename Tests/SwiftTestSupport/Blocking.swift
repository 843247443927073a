// SPDX-License-Identifier: MIT

package import Testing
import Foundation

/// Threads for tests that block, two at a time.
///
/// Swift's own pool has one thread per processor, so a few such tests would stop all others.
private final class BlockingExecutor: TaskExecutor {
    static let shared = BlockingExecutor()

    private let queue = {
        let queue = OperationQueue()
        queue.maxConcurrentOperationCount = 2
        return queue
    }()

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let executor = unsafe asUnownedTaskExecutor()
        queue.addOperation { unsafe job.runSynchronously(on: executor) }
    }
}

/// Runs a test, or the tests of a suite, on threads that may block.
package struct BlockingTrait: SuiteTrait, TestTrait, TestScoping {
    package var isRecursive: Bool { true }

    package func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        guard testCase != nil else { return try await function() }
        try await withTaskExecutorPreference(BlockingExecutor.shared, operation: function)
    }
}

extension Trait where Self == BlockingTrait {
    /// The tests block while they wait for the kernel and for processes.
    package static var blocking: Self { BlockingTrait() }
}
