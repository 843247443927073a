// SPDX-License-Identifier: MIT

/// One stretch of time in which a target is scheduled.
///
/// What is on its way to a queue or run loop holds the session, so it cannot be taken for news of a
/// later one.
final class Session: Sendable {
    private weak let target: SCNetworkReachability?

    init(target: SCNetworkReachability) {
        self.target = target
    }

    /// Takes a state.
    ///
    /// Only ever called on ``Watcher/queue``.
    func receive(_ path: PathState) {
        target?.receive(path, from: self)
    }

    /// Lets a name's final answer through.
    func open() {
        target?.open(self)
    }

    /// Calls back if there is something to tell.
    ///
    /// Called where the target is scheduled.
    func deliver() {
        target?.deliver(from: self)
    }
}
