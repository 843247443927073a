// SPDX-License-Identifier: MIT

@unsafe @preconcurrency package import Dispatch
internal import Synchronization

/// A call that a change of state leads to: of a closure, a continuation, or code of the user's that may
/// do anything.
///
/// Whoever changes a state under a lock returns the deliveries, and ``MonitorLoop`` makes them once every
/// lock is open.
package enum Delivery: Sendable {
    /// A call on a queue.
    case on(DispatchQueue, @Sendable () -> Void)

    /// A call by the loop itself, which waits for it.
    case here(@Sendable () -> Void)
}

/// A call on a queue, by a thread of the queue or by one of the loop's; whichever comes first makes it.
final class Call: Sendable {
    let queue: DispatchQueue
    private let body: @Sendable () -> Void
    private let hasBegun = Atomic(false)

    init(_ queue: DispatchQueue, _ body: @escaping @Sendable () -> Void) {
        self.queue = queue
        self.body = body
    }

    /// A thread that makes the call itself would have to wait for the main one.
    var isOnMainQueue: Bool {
        queue.label == DispatchQueue.main.label
    }

    /// Puts the call on its queue unless it has begun.
    func send() {
        guard !hasBegun.load(ordering: .acquiring) else { return }
        queue.async(execute: make)
    }

    /// Waits for the queue and makes the call there, by the calling thread unless the queue has its own.
    func makeOnQueue() {
        queue.sync(execute: make)
    }

    private func make() {
        guard !hasBegun.exchange(true, ordering: .acquiringAndReleasing) else { return }
        body()
    }
}
