// SPDX-License-Identifier: MIT

internal import Dispatch
internal import Observation
internal import Synchronization

extension NetworkReachabilityManager {
    /// Takes a value from the monitor.
    ///
    /// Runs on ``MonitorHub/queue``, which keeps values in order.
    ///
    /// Observation wants to be told before and after, and runs closures of the user on both occasions:
    /// neither happens under the lock.
    func publish(
        _ new: ReachabilitySnapshot, from session: Session, failure: ReachabilityError? = nil,
        by courier: inout Courier
    ) {
        guard !session.isEnded else { return }
        let old = state.withLock { $0.snapshot }
        if wasRead.load(ordering: .acquiring) { willPublish(new, after: old) }
        let remains = state.withLock {
            $0.publish(new, from: session, failure: failure, by: &courier)
        }
        if wasRead.load(ordering: .acquiring) { didPublish(new, after: old) }
        guard let remains else { return }
        let (observers, versions) = state.withLock { ($0.observers, $0.versions) }
        // Callbacks come before observers.
        if !observers.isEmpty { courier.sendKept() }
        for observer in observers {
            observer.look(at: self, versions: versions, session: session)
        }
        remains.end()
    }

    private func willPublish(_ new: ReachabilitySnapshot, after old: ReachabilitySnapshot) {
        if new != old { registrar.willSet(self, keyPath: \.snapshot) }
        if new.status != old.status {
            registrar.willSet(self, keyPath: \.networkReachabilityStatus)
        }
    }

    private func didPublish(_ new: ReachabilitySnapshot, after old: ReachabilitySnapshot) {
        if new != old { registrar.didSet(self, keyPath: \.snapshot) }
        if new.status != old.status { registrar.didSet(self, keyPath: \.networkReachabilityStatus) }
    }

    /// Adds an observer on ``MonitorHub/queue``, where nothing changes meanwhile, and reports what
    /// changed since it took its first value.
    func insert(_ observer: any PropertyObserver) {
        let (versions, session) = state.withLock { state in
            state.add(observer)
            return (state.versions, state.running?.session)
        }
        observer.look(at: self, versions: versions, session: session)
    }

    func remove(_ observer: any PropertyObserver) {
        MonitorHub.queue.async { _ = self.state.withLock { $0.remove(observer) } }
    }

    func remove(_ callback: Callback) {
        _ = state.withLock { $0.remove(callback) }
    }

    func attach(
        _ stream: SnapshotSource.Stream.Continuation, as identity: ObjectIdentifier
    ) throws(ReachabilityError) {
        try state.withLock { state throws(ReachabilityError) in
            try state.attach(stream, as: identity, self)
        }
    }

    func detach(_ identity: ObjectIdentifier) {
        state.withLock { $0.detach(identity) }.end()
    }
}
