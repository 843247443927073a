// SPDX-License-Identifier: MIT

extension NetworkReachabilityManager {
    /// Each new path to the target, on which connections that were opened before may hang.
    ///
    ///     for try await snapshot in manager.pathChanges {
    ///         print("reconnect over", snapshot.interface?.name ?? "-")
    ///     }
    ///
    /// A path is new if its interface, source, or gateway differs, or the addresses of the name, in any order; and if
    /// the target was unreachable meanwhile, even if nothing else differs. An interface that is only renamed is the
    /// same. The current path isn't reported, nor is an outage before its end. Of several new paths, a slow consumer
    /// gets the newest.
    ///
    /// Like waits, iterations are independent of ``startMonitoring()`` and ``stopMonitoring()``. An iteration throws if
    /// monitoring can't start, or fails.
    public var pathChanges: ReachabilityUpdates<ReachabilitySnapshot, ReachabilityError> {
        ReachabilityUpdates { [self] continuation in
            let follower = PathFollower(continuation)
            let session = MonitoringSession(receiver: follower)
            do throws(ReachabilityError) {
                let subscription = try source.subscribe(session, to: target)
                return {
                    session.end()
                    subscription.cancel()
                    withExtendedLifetime((self, follower)) { continuation.finish() }
                }
            } catch {
                continuation.yield(.failure(error))
                continuation.finish()
                return {}
            }
        }
    }

    /// Sleeps for some time, or until the path to the target is new, as in ``pathChanges``: another try is likely to
    /// succeed then.
    ///
    ///     var pause = Duration.seconds(1)
    ///     while try await !manager.check().status.isReachable {
    ///         pause = try await manager.sleep(for: pause) ? .seconds(1) : pause * 2
    ///     }
    ///
    /// If the target is unreachable, the sleep ends when it becomes reachable. Where changes can't be watched
    /// (``ReachabilityError/Code/watchingUnsupported``), it lasts for the whole time.
    ///
    /// - Parameter time: The longest time, not counting time during which the host is suspended.
    /// - Returns: Whether the path is new.
    /// - Throws: The errors of ``wait(timeout:stable:until:)``, except a timeout.
    @discardableResult
    public func sleep(for time: Duration) async throws(ReachabilityError) -> Bool {
        let path = Lock(PathTracker())
        do throws(ReachabilityError) {
            try await wait(timeout: time) { snapshot in path.withLock { $0.isNew(snapshot) } }
            return true
        } catch {
            switch error.code {
            case .timedOut: return false
            case .watchingUnsupported:
                guard (try? await Task.sleep(for: time, clock: .suspending)) != nil else {
                    throw .cancelled(waitingFor: target)
                }
                return false
            default: throw error
            }
        }
    }
}

/// Recognizes new paths among the states of one target.
struct PathTracker: Sendable {
    /// The latest path, if there was one.
    private var last: ReachabilitySnapshot?
    private var isInterrupted = false

    /// Takes the next state, and returns whether it is a new path.
    mutating func isNew(_ snapshot: ReachabilitySnapshot) -> Bool {
        guard snapshot.resolution != .pending else { return false }
        guard snapshot.status.isReachable else {
            isInterrupted = true
            return false
        }
        defer { (last, isInterrupted) = (snapshot, false) }
        guard let last, !isInterrupted else { return isInterrupted }
        return last.interface?.index != snapshot.interface?.index
            || (last.source, last.gateway) != (snapshot.source, snapshot.gateway)
            || Set(last.addresses) != Set(snapshot.addresses)
    }
}

/// Feeds an iteration with new paths, as they come: the stream would drop an outage between two states.
private final class PathFollower: MonitorReceiver {
    private let continuation:
        ReachabilityUpdates<ReachabilitySnapshot, ReachabilityError>.Stream.Continuation
    private let path = Lock(PathTracker())

    init(
        _ continuation: ReachabilityUpdates<ReachabilitySnapshot, ReachabilityError>.Stream
            .Continuation
    ) {
        self.continuation = continuation
    }

    func receive(_ snapshot: ReachabilitySnapshot, in session: MonitoringSession) -> [Delivery] {
        guard !session.isEnded, path.withLock({ $0.isNew(snapshot) }) else { return [] }
        return [.here { [continuation] in _ = continuation.yield(.success(snapshot)) }]
    }

    func fail(_ errno: ReachabilityErrno, in session: MonitoringSession) -> [Delivery] {
        [
            .here { [continuation] in
                continuation.yield(.failure(.system(errno, doing: "monitoring")))
                continuation.finish()
            }
        ]
    }
}
