// SPDX-License-Identifier: MIT

internal import Observation
internal import Synchronization
internal import ReachLibc

extension NetworkReachabilityManager: MonitorReceiver {
    package func receive(
        _ snapshot: ReachabilitySnapshot, in session: MonitoringSession
    ) -> [Delivery] {
        publish(snapshot, from: session)
    }

    package func fail(_ errno: ReachabilityErrno, in session: MonitoringSession) -> [Delivery] {
        publish(
            ReachabilitySnapshot(unknownAfter: errno), from: session,
            failure: .system(errno, doing: "monitoring"))
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
        failure: ReachabilityError? = nil
    ) -> [Delivery] {
        let published = state.withLock { $0.publish(new, from: session, failure: failure) }
        guard let published else { return [] }
        if wasRead.load(ordering: .acquiring) { notifyObservation(of: new, after: published.old) }
        // Callbacks come before observers.
        return published.observers.reduce(into: published.deliveries) { deliveries, observer in
            deliveries += observer.look(at: self, versions: published.versions, session: session)
        }
    }

    private func notifyObservation(of new: ReachabilitySnapshot, after old: ReachabilitySnapshot) {
        if new != old { registrar.withMutation(of: self, keyPath: \.snapshot) {} }
        if new.status != old.status {
            registrar.withMutation(of: self, keyPath: \.networkReachabilityStatus) {}
        }
    }

    /// Adds an observer and reports changes since its initial value; called in the loop, so that nothing is
    /// published meanwhile.
    func insert(_ observer: any PropertyObserver) -> [Delivery] {
        let (versions, session) = state.withLock { state in
            state.add(observer)
            return (state.versions, state.running?.session)
        }
        return observer.look(at: self, versions: versions, session: session)
    }

    func remove(_ observer: any PropertyObserver) {
        source.perform {
            _ = self.state.withLock { $0.remove(observer) }
            return []
        }
    }

    func remove(_ callback: Callback) {
        _ = state.withLock { $0.remove(callback) }
    }

    func attach(_ iteration: SequenceIteration) throws(ReachabilityError) {
        _ = try state.withLock { state throws(ReachabilityError) in
            try state.attach(iteration, self)
        }
        let identity = iteration.identity
        process.store(getpid(), ordering: .releasing)
        source.perform { [weak self] in
            self?.state.withLock { $0.catchUp(identity) } ?? []
        }
    }

    func detach(_ identity: SubscriberIdentity) {
        state.withLock { $0.detach(identity) }.end()
    }

    /// Delivers the current value to new callbacks; in the loop, so that no newer value comes in between.
    func catchUp() {
        guard isMonitoring else { return }
        source.perform { [weak self] in self?.state.withLock { $0.catchUp() } ?? [] }
    }
}
