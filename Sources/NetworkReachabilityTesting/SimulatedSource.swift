// SPDX-License-Identifier: MIT

@unsafe @preconcurrency internal import Dispatch
internal import NetworkReachability

/// The source of a manager in a test: reports the network that the test has set.
///
/// A serial queue replaces the monitors' loop; it makes all reports and deliveries.
final class SimulatedSource: MonitorSource {
    private struct Subscriber: Sendable {
        let session: MonitoringSession
        let target: ReachabilityTarget
        /// The last reported state.
        var reported: ReachabilitySnapshot?
    }

    private struct State: Sendable {
        var simulated = SimulatedState()
        var subscribers: [UInt64: Subscriber] = [:]
        var lastID: UInt64 = 0
    }

    private static let isOnQueue = DispatchSpecificKey<ObjectIdentifier>()

    private let state = Lock(State())
    private let queue = DispatchQueue(label: "NetworkReachabilityTesting")
    /// The callbacks that were submitted to their queues and have not returned yet.
    private let callbacks = DispatchGroup()

    init() {
        queue.setSpecific(key: Self.isOnQueue, value: ObjectIdentifier(self))
    }

    // MARK: For the test

    func change(_ change: @escaping @Sendable (inout SimulatedState) -> Void) {
        run {
            self.state.withLock { change(&$0.simulated) }
            for id in self.state.withLock({ $0.subscribers.keys.sorted() }) { self.report(to: id) }
        }
    }

    func fail(_ errno: ReachabilityErrno) {
        run {
            let ended = self.state.withLock { state in
                defer { state.subscribers = [:] }
                return state.subscribers.sorted { $0.key < $1.key }.map(\.value.session)
            }
            for session in ended { self.deliver(session.fail(errno)) }
        }
    }

    func flush() async {
        await withCheckedContinuation { continuation in
            whenFlushed { continuation.resume() }
        }
    }

    private func whenFlushed(_ body: @escaping @Sendable () -> Void) {
        queue.async {
            // A callback may have led to a job on the queue, which has led to another callback.
            guard self.callbacks.wait(timeout: .now()) == .timedOut else { return body() }
            self.callbacks.notify(queue: self.queue) { self.whenFlushed(body) }
        }
    }

    // MARK: For the manager

    func subscribe(
        _ session: MonitoringSession, to target: ReachabilityTarget, once: Bool
    ) throws(ReachabilityError) -> any MonitorSubscription {
        let id = try state.withLock { state throws(ReachabilityError) in
            if let error = state.simulated.startError { throw error }
            state.lastID += 1
            state.subscribers[state.lastID] = Subscriber(session: session, target: target)
            return state.lastID
        }
        queue.async { self.report(to: id) }
        return Subscription(source: self, id: id)
    }

    func check(_ target: ReachabilityTarget) throws(ReachabilityError) -> ReachabilitySnapshot {
        try state.withLock { state throws(ReachabilityError) in
            if let error = state.simulated.startError { throw error }
            return state.simulated.snapshot(of: target)
        }
    }

    func perform(_ job: @escaping @Sendable () -> [Delivery]) {
        queue.async { self.deliver(job()) }
    }

    private struct Subscription: MonitorSubscription {
        let source: SimulatedSource
        let id: UInt64

        func cancel() {
            // Released after the lock.
            let removed = source.state.withLock { $0.subscribers.removeValue(forKey: id) }
            withExtendedLifetime(removed) {}
        }

        func read() throws(ReachabilityError) -> ReachabilitySnapshot? {
            source.state.withLock { state in
                state.subscribers[id].map { state.simulated.snapshot(of: $0.target) }
            }
        }
    }

    // MARK: On the queue

    /// Runs `body` on the queue: before it returns, unless the call comes in the middle of a delivery.
    private func run(_ body: @escaping @Sendable () -> Void) {
        if DispatchQueue.getSpecific(key: Self.isOnQueue) == ObjectIdentifier(self) {
            queue.async(execute: body)
        } else {
            queue.sync(execute: body)
        }
    }

    /// Reports the current state to a subscriber, unless the subscriber already has it.
    private func report(to id: UInt64) {
        let due = state.withLock { state -> (MonitoringSession, ReachabilitySnapshot)? in
            guard let subscriber = state.subscribers[id] else { return nil }
            let snapshot = state.simulated.snapshot(of: subscriber.target)
            guard snapshot != subscriber.reported else { return nil }
            state.subscribers[id]?.reported = snapshot
            return (subscriber.session, snapshot)
        }
        if let (session, snapshot) = due { deliver(session.receive(snapshot)) }
    }

    private func deliver(_ deliveries: [Delivery]) {
        for delivery in deliveries {
            switch delivery {
            case .call(let target, let body):
                callbacks.enter()
                target.queue.async { [callbacks] in
                    body()
                    callbacks.leave()
                }
            case .here(let body): body()
            }
        }
    }
}
