// SPDX-License-Identifier: MIT

package import Dispatch
import Synchronization

/// Keeps what callbacks are told, and lets a test wait for it.
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

    /// Waits for the next value that was not waited for yet.
    @discardableResult
    package func next() async -> Value? {
        await first { _ in true }
    }

    /// Waits until a value fits.
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

/// Runs `work` on `queue` after all that is there already.
package func perform(on queue: DispatchQueue, _ work: @escaping @Sendable () -> Void = {}) async {
    await withCheckedContinuation { continuation in
        queue.async {
            work()
            continuation.resume()
        }
    }
}
