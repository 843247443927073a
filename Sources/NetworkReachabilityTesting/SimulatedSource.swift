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
    }

    private typealias List = Subscribers<SimulatedState, Subscriber>
    private typealias State = (simulated: SimulatedState, subscribers: List)

    private static let isOnQueue = DispatchSpecificKey<ObjectIdentifier>()

    private let state = Lock<State>((SimulatedState(), List()))
    private let queue = DispatchQueue(label: "NetworkReachabilityTesting")
    /// The callbacks that were submitted to their queues and have not returned yet.
    private let callbacks = DispatchGroup()

    init() {
        queue.setSpecific(key: Self.isOnQueue, value: ObjectIdentifier(self))
    }

    // MARK: For the test

    func change(_ change: @escaping @Sendable (inout SimulatedState) -> Void) {
        run {
            self.report { state in
                change(&state.simulated)
                return state.subscribers.publish(state.simulated)
            }
        }
    }

    func fail(_ errno: ReachabilityErrno) {
        run {
            let ended = self.state.withLock { state in
                state.subscribers.removeAll { _ in true }
            }
            for subscriber in ended { self.deliver(subscriber.session.fail(errno)) }
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
            return state.subscribers.add(Subscriber(session: session, target: target))
        }
        queue.async { self.report { $0.subscribers.publish($0.simulated) } }
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
        let id: SubscriberID

        func cancel() {
            // Released after the lock.
            let removed = source.state.withLock { $0.subscribers.remove(id) }
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

    /// Reports the state of each target that `next` changes.
    private func report(_ next: (inout State) -> List.Round) {
        let round = state.withLock { next(&$0) }
        round.forEach { subscriber, last in
            let (session, target) = (subscriber.session, subscriber.target)
            let snapshot = round.value.snapshot(of: target)
            guard snapshot != last?.snapshot(of: target) else { return }
            deliver(session.receive(snapshot))
        }
    }

    private func deliver(_ deliveries: [Delivery]) {
        for delivery in deliveries {
            switch delivery {
            case .call(let target, let body):
                callbacks.enter()
                target.queue.async { [callbacks] in
                    Delivery.$group.withValue(callbacks) { body() }
                    callbacks.leave()
                }
            case .here(let body): body()
            }
        }
    }
}
