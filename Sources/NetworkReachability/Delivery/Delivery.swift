// SPDX-License-Identifier: MIT

@unsafe @preconcurrency package import Dispatch
internal import Synchronization

/// A call that results from a change of state: to a closure, a continuation, or application code.
///
/// A function that changes state under a lock returns the deliveries; ``MonitorLoop`` makes the calls
/// after the lock is released.
package enum Delivery: Sendable {
    /// A call on a queue.
    case call(on: CallQueue, @Sendable () -> Void)

    /// A call by the loop itself, before its next delivery.
    case here(@Sendable () -> Void)

    /// A call on a queue, for callers that don't keep a ``CallQueue``.
    package static func on(
        _ queue: DispatchQueue, _ body: @escaping @Sendable () -> Void
    ) -> Delivery {
        .call(on: CallQueue(queue), body)
    }

    /// Makes the call without a loop: on its queue, or here.
    func make() {
        switch self {
        case .call(let target, let body): target.queue.async(execute: body)
        case .here(let body): body()
        }
    }

    /// What waits for the callback that runs, and for the calls that it passes on to another queue; nil outside of tests.
    @TaskLocal package static var group: DispatchGroup?

    /// Makes ``group`` wait until the returned object is released.
    package static func hold() -> Hold? { group.map(Hold.init) }

    package final class Hold: Sendable {
        private let group: DispatchGroup

        fileprivate init(_ group: DispatchGroup) {
            self.group = group
            group.enter()
        }

        deinit {
            group.leave()
        }
    }
}

/// A queue that calls are made on.
package struct CallQueue: Sendable {
    package let queue: DispatchQueue

    /// Whether it is the main queue, which only the main thread runs: no thread of the loop can make its calls.
    let isMain: Bool

    // `DispatchQueue.main` is a different object each time.
    private static let mainLabel = DispatchQueue.main.label

    /// Comparing labels takes two allocations: store the result where calls are frequent.
    package init(_ queue: DispatchQueue) {
        self.queue = queue
        isMain = queue.label == Self.mainLabel
    }
}

/// A call on a queue, made once: by a thread of the queue or by one of the loop, whichever is first.
final class Call: Sendable {
    let queue: DispatchQueue
    let isOnMainQueue: Bool
    private let body: @Sendable () -> Void
    private let hasBegun = Atomic(false)

    var isBegun: Bool { hasBegun.load(ordering: .acquiring) }

    init(_ queue: CallQueue, _ body: @escaping @Sendable () -> Void) {
        self.queue = queue.queue
        isOnMainQueue = queue.isMain
        self.body = body
    }

    /// Submits the call to its queue unless it has begun.
    func send() {
        guard !isBegun else { return }
        queue.async(execute: make)
    }

    /// Waits for the queue and makes the call there, on the calling thread where libdispatch can.
    func makeOnQueue() {
        queue.sync(execute: make)
    }

    private func make() {
        guard !hasBegun.exchange(true, ordering: .acquiringAndReleasing) else { return }
        body()
    }
}
