// SPDX-License-Identifier: MIT

package import Dispatch
package import NetworkReachability
import Synchronization

/// Records the values that callbacks receive, and lets a test wait for them.
package final class Recorder<Value: Sendable>: Sendable {
    private let all = Mutex<[Value]>([])
    private let stream: AsyncStream<Value>
    private let continuation: AsyncStream<Value>.Continuation

    package init() {
        (stream, continuation) = AsyncStream.makeStream()
    }

    package var values: [Value] {
        all.withLock { $0 }
    }

    package func record(_ value: Value) {
        all.withLock { $0.append(value) }
        continuation.yield(value)
    }

    /// Waits for the next value that no earlier call returned.
    @discardableResult
    package func next() async -> Value? {
        await first { _ in true }
    }

    /// Waits for the next value that meets a condition.
    package func first(where fits: (Value) -> Bool) async -> Value? {
        for await value in stream where fits(value) { return value }
        return nil
    }
}

extension DispatchQueue {
    package static func test(_ name: String = #function) -> DispatchQueue {
        DispatchQueue(label: "test \(name)")
    }
}

/// Runs a job on the library's loop, and returns after the calls that the loop makes itself.
package func inLoop(_ job: @escaping @Sendable () -> [Delivery] = { [] }) async {
    await withCheckedContinuation { continuation in
        MonitorLoop.perform { job() + [.here { continuation.resume() }] }
    }
}

/// Runs `work` on `queue` after all calls that are already there or pending in the loop.
package func perform(on queue: DispatchQueue, _ work: @escaping @Sendable () -> Void = {}) async {
    await withCheckedContinuation { continuation in
        let call: @Sendable () -> Void = {
            work()
            continuation.resume()
        }
        MonitorLoop.perform { [.on(queue, call)] }
    }
}
