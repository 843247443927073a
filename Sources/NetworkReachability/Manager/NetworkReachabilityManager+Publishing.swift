// SPDX-License-Identifier: MIT

internal import Observation
internal import Synchronization

extension NetworkReachabilityManager: MonitorReceiver {
    package func receive(
        _ snapshot: ReachabilitySnapshot, in session: MonitoringSession
    ) -> [Delivery] {
        publish(snapshot, from: session)
    }

    package func fail(_ errno: ReachabilityErrno, in session: MonitoringSession) -> [Delivery] {
        publish(
            ReachabilitySnapshot(unknownAfter: errno), from: session, failed: true)
    }
}

extension NetworkReachabilityManager {
    /// Publishes a state of the monitor; the loop calls it, and keeps the states in order.
    ///
    /// `willSet` and `didSet` of Observation both follow the assignment, outside the lock. Tracking ends with
    /// `willSet`: an observer that reads the property again on another thread before the assignment would
    /// track from the old value, and miss this change.
    private func publish(
        _ new: ReachabilitySnapshot, from session: MonitoringSession,
        failed hasFailed: Bool = false
    ) -> [Delivery] {
        let published = state.withLock { $0.publish(new, from: session, failed: hasFailed) }
        guard let published else { return [] }
        if wasRead.load(ordering: .acquiring) { notifyObservation(of: new, after: published.old) }
        return deliveries(of: published.round, from: session, failed: hasFailed)
    }

    private func deliveries(
        of round: ManagerState.List.Round, from session: MonitoringSession,
        failed hasFailed: Bool = false
    ) -> [Delivery] {
        let report = ManagerReport(
            manager: self, session: session, snapshot: round.value, hasFailed: hasFailed)
        var deliveries: [Delivery] = []
        round.forEach { subscriber, last in
            // Sources report only snapshots that differ.
            let isRepetition =
                subscriber.part != .everything
                && last.map { subscriber.part.isEqual($0, report.snapshot) } == true
            if !isRepetition,
                let delivery = subscriber.delivery(of: report, isFirst: last == nil)
            {
                deliveries.append(delivery)
            }
        }
        return deliveries
    }

    private func notifyObservation(of new: ReachabilitySnapshot, after old: ReachabilitySnapshot) {
        if new != old { registrar.withMutation(of: self, keyPath: \.snapshot) {} }
        if new.status != old.status {
            registrar.withMutation(of: self, keyPath: \.networkReachabilityStatus) {}
        }
    }

    /// Adds a subscriber, which receives the current value, and returns what cancels and removes it.
    func add(_ subscriber: any ManagerSubscriber) -> @Sendable () -> Void {
        let id = state.withLock { $0.add(subscriber) }
        catchUp()
        return { [weak self] in
            subscriber.cancel()
            guard let self, !isOfParent else { return }
            _ = state.withLock { $0.remove(id) }
        }
    }

    func attach(_ iteration: SequenceIteration) throws(ReachabilityError) -> SubscriberID {
        let (id, _) = try state.withLock { state throws(ReachabilityError) in
            try state.attach(iteration, self)
        }
        process.claim()
        catchUp()
        return id
    }

    func detach(_ id: SubscriberID) {
        state.withLock { $0.detach(id) }.end()
    }

    /// Delivers the current value to new subscribers; in the loop, so that no newer value comes in between.
    func catchUp() {
        guard isMonitoring else { return }
        source.perform { [weak self] in
            guard let self, let (session, round) = state.withLock({ $0.catchUp() }) else {
                return []
            }
            return deliveries(of: round, from: session)
        }
    }
}
