// SPDX-License-Identifier: MIT

internal import Synchronization

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

/// One stretch of monitoring, from a start to its stop.
///
/// Calls that are on their way to a queue hold it, and not the manager, which may go away meanwhile.
final class Session: MonitorReceiver {
    private weak let manager: NetworkReachabilityManager?
    private let ended = Atomic(false)
    private let process = getpid()

    init(manager: NetworkReachabilityManager) {
        self.manager = manager
    }

    /// Whether nothing of it may be delivered any more: it was stopped, or is that of the parent of a
    /// process that was forked.
    var isEnded: Bool {
        ended.load(ordering: .acquiring) || !isOfThisProcess
    }

    var isOfThisProcess: Bool {
        process == getpid()
    }

    func end() {
        ended.store(true, ordering: .releasing)
    }

    func receive(_ snapshot: ReachabilitySnapshot) -> [Delivery] {
        manager?.publish(snapshot, from: self) ?? []
    }

    func fail(_ errno: ReachabilityErrno) -> [Delivery] {
        manager?.publish(
            ReachabilitySnapshot(unknownAfter: errno), from: self,
            failure: .system(errno, doing: "monitoring")) ?? []
    }
}
