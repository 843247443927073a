// SPDX-License-Identifier: MIT

internal import Synchronization

/// One stretch of monitoring, from a start to its stop.
///
/// Calls that are on their way to a queue hold it, and not the manager, which may go away meanwhile.
final class Session: MonitorReceiver {
    private weak let manager: NetworkReachabilityManager?
    private let ended = Atomic(false)

    init(manager: NetworkReachabilityManager) {
        self.manager = manager
    }

    /// Whether it was stopped: nothing of it may be delivered any more.
    var isEnded: Bool {
        ended.load(ordering: .acquiring)
    }

    func end() {
        ended.store(true, ordering: .releasing)
    }

    func receive(_ snapshot: ReachabilitySnapshot, by courier: inout Courier) {
        manager?.publish(snapshot, from: self, by: &courier)
    }

    func fail(_ errno: Errno, by courier: inout Courier) {
        manager?.publish(
            ReachabilitySnapshot(unknownAfter: errno), from: self,
            failure: .system(errno, doing: "monitoring"), by: &courier)
    }
}
