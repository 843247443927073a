// SPDX-License-Identifier: MIT

/// The state of a manager, kept in its lock.
///
/// It runs under the lock, so it neither calls nor releases closures: it returns deliveries and removed
/// objects.
struct ManagerState: Sendable {
    /// The session that is running.
    struct Running: Sendable {
        let session: MonitoringSession
        /// Nil in tests that report values without a monitor.
        let subscription: (any MonitorSubscription)?
        /// Whether the monitor failed; a stop or another start ends the session.
        var hasFailed = false
    }

    /// Objects that a stop removed; end them after the lock is released.
    struct Remains: Sendable {
        var running: Running?
        var iterations: [any ManagerSubscriber] = []

        func end() {
            running?.session.end()
            running?.subscription?.cancel()
            for iteration in iterations { iteration.cancel() }
        }
    }

    typealias List = Subscribers<ReachabilitySnapshot, any ManagerSubscriber>

    private(set) var snapshot = ReachabilitySnapshot.unknown
    private(set) var running: Running?
    /// The latest value is that of the running session; nil before its first.
    private(set) var subscribers = List()
    private var isStarted = false
    private var block: SubscriberID?

    var isMonitoring: Bool {
        running.map { !$0.hasFailed && $0.session.isOfThisProcess } ?? false
    }

    /// The snapshot, if it is that of a running session.
    var latest: ReachabilitySnapshot? {
        isMonitoring ? subscribers.latest : nil
    }

    // MARK: Start and stop

    /// Starts a session unless one is running, and returns the one it replaces.
    mutating func start(
        _ manager: NetworkReachabilityManager
    ) throws(ReachabilityError) -> Running? {
        let replaced = try begin(manager)
        isStarted = true
        return replaced
    }

    mutating func stop() -> Remains {
        isStarted = false
        return Remains(running: running.take(), iterations: endIterations())
    }

    private mutating func endIterations() -> [any ManagerSubscriber] {
        subscribers.removeAll { $0.kind == .iteration }
    }

    private mutating func begin(
        _ manager: NetworkReachabilityManager
    ) throws(ReachabilityError) -> Running? {
        guard !isMonitoring else { return nil }
        let session = MonitoringSession(receiver: manager)
        let subscription = try manager.source.subscribe(session, to: manager.target)
        return run(session, subscription)
    }

    /// Accepts values of `session` from now on, and returns the session it replaces.
    mutating func run(
        _ session: MonitoringSession, _ subscription: (any MonitorSubscription)?
    ) -> Running? {
        let replaced = running
        replaced?.session.end()
        running = Running(session: session, subscription: subscription)
        subscribers.forget()
        return replaced
    }

    // MARK: Subscribers

    mutating func setBlock(_ callback: Callback?) -> (any ManagerSubscriber)? {
        let replaced = block.take()
        block = callback.map { add($0) }
        return replaced.flatMap { subscribers.remove($0) }
    }

    mutating func add(_ subscriber: any ManagerSubscriber) -> SubscriberID {
        subscribers.add(subscriber, rank: subscriber.kind.rawValue)
    }

    mutating func remove(_ id: SubscriberID) -> (any ManagerSubscriber)? {
        subscribers.remove(id)
    }

    /// Adds an iteration, and starts a session unless one is running.
    mutating func attach(
        _ iteration: SequenceIteration, _ manager: NetworkReachabilityManager
    ) throws(ReachabilityError) -> (SubscriberID, replaced: Running?) {
        let replaced = try begin(manager)
        return (add(iteration), replaced)
    }

    /// Removes an iteration, and stops if it was the last one and startMonitoring() was not called.
    mutating func detach(_ id: SubscriberID) -> Remains {
        guard let iteration = subscribers.remove(id) else { return Remains() }
        guard !subscribers.contains(where: { $0.kind == .iteration }), !isStarted else {
            return Remains(iterations: [iteration])
        }
        var remains = stop()
        remains.iterations.append(iteration)
        return remains
    }

    // MARK: Publishing

    /// Assigns all properties at once: a reader sees the old state or the new one.
    ///
    /// Returns the old state and the round of the new one; nil if `session` is not the running one.
    mutating func publish(
        _ new: ReachabilitySnapshot, from session: MonitoringSession, failed hasFailed: Bool
    ) -> (old: ReachabilitySnapshot, round: List.Round)? {
        guard running?.session === session else { return nil }
        let old = snapshot
        snapshot = new
        let round = subscribers.publish(new)
        if hasFailed {
            running?.hasFailed = true
            isStarted = false
            // The round holds them.
            _ = endIterations()
        }
        return (old, round)
    }

    /// The current value, for subscribers that were added after it was delivered.
    mutating func catchUp() -> (session: MonitoringSession, round: List.Round)? {
        guard latest != nil, let session = running?.session, let round = subscribers.catchUp()
        else { return nil }
        return (session, round)
    }
}

/// A subscriber to a manager's snapshot.
protocol ManagerSubscriber: AnyObject, Sendable {
    var kind: SubscriberKind { get }

    /// The part whose changes are due.
    var part: ReportedPart { get }

    /// Returns the delivery of a report. Called in the loop, with no lock held.
    ///
    /// `isFirst` marks the first value of a session for this subscriber.
    func delivery(of report: ManagerReport, isFirst: Bool) -> Delivery?

    /// Releases the closure or ends the iteration; later deliveries do nothing.
    func cancel()
}

/// The kinds of subscribers to a manager, in the order in which they are called.
enum SubscriberKind: Int, Sendable {
    case block, listener, iteration, observer
}

/// A published state of a manager.
struct ManagerReport: Sendable {
    let manager: NetworkReachabilityManager
    let session: MonitoringSession
    let snapshot: ReachabilitySnapshot
    /// Whether the monitor failed, with the error of the snapshot.
    let hasFailed: Bool
}

/// One iteration over a sequence of a manager.
final class SequenceIteration: ManagerSubscriber {
    /// Receives reports, or nil at the end.
    typealias Output = @Sendable (ManagerReport?) -> Void

    let kind = SubscriberKind.iteration
    let part = ReportedPart.everything
    private let output: Output

    init(_ output: @escaping Output) {
        self.output = output
    }

    func delivery(of report: ManagerReport, isFirst: Bool) -> Delivery? {
        .here { [output] in output(report) }
    }

    func cancel() {
        output(nil)
    }
}
