// SPDX-License-Identifier: MIT
import Dispatch
import NetworkReachability

/// Values that a thread waits for, also in a child of fork(), where the standard library's `Mutex` can trap.
package final class Mailbox<Value: Sendable>: Sendable {
    private let values = Lock<[Value]>([])
    private let count = DispatchSemaphore(value: 0)

    package init() {}

    package var isEmpty: Bool { values.withLock { $0.isEmpty } }

    package func put(_ value: Value) {
        values.withLock { $0.append(value) }
        count.signal()
    }

    /// The next value; nil if none comes in two minutes.
    package func take() -> Value? {
        guard count.wait(timeout: .now() + 120) == .success else { return nil }
        return values.withLock { $0.removeFirst() }
    }
}

/// A condition of a child of fork() that doesn't hold.
package struct Wrong: Error {
    let line: Int
}

package func hold(_ conditions: Bool..., line: Int = #line) throws {
    guard conditions.allSatisfy(\.self) else { throw Wrong(line: line) }
}
