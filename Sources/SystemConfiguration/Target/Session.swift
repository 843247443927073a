// SPDX-License-Identifier: MIT

internal import NetworkReachability

/// One stretch of time in which a target is scheduled.
///
/// What is on its way to a queue or run loop holds the session, so it cannot be taken for news of a
/// later one.
final class Session: MonitorReceiver {
    private weak let target: SCNetworkReachability?

    init(target: SCNetworkReachability) {
        self.target = target
    }

    func receive(_ snapshot: ReachabilitySnapshot) -> [Delivery] {
        target?.receive(PathState(snapshot), from: self) ?? []
    }

    func fail(_ errno: ReachabilityErrno) -> [Delivery] {
        target?.receive(.unknown(after: errno), from: self) ?? []
    }

    /// Says that a name has no address.
    func findNothing() -> [Delivery] {
        target?.receive(.unresolved, from: self) ?? []
    }

    /// Lets a name's final answer through.
    func open() -> [Delivery] {
        target?.open(self) ?? []
    }

    /// Calls back if there is something to tell.
    ///
    /// Called where the target is scheduled.
    func deliver() {
        target?.deliver(from: self)
    }
}
