// SPDX-License-Identifier: MIT

extension NetworkReachabilityManager {
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
