// SPDX-License-Identifier: MIT

@_exported import SwiftTestSupport

@testable import NetworkReachability

/// A manager of an address behind a cable, in a network namespace of its own.
struct Cable {
    let namespace: Namespace
    let manager: NetworkReachabilityManager
    let closed = Recorder<Void>()

    init() throws {
        let closed = closed
        namespace = try .withDefaultRoute()
        manager = try NetworkReachabilityManager(
            target: .address("192.0.2.1").with(namespace: .path(namespace.path)),
            options: MonitorOptions(etcRoot: "", onClose: { closed.record(()) }))
    }
}

extension NetworkReachabilityManager {
    /// Starts a session without a monitor, whose values the test reports.
    func startSession() -> MonitoringSession {
        let session = MonitoringSession(receiver: self)
        _ = state.withLock { $0.run(session, nil) }
        return session
    }
}

extension MonitoringSession {
    /// Returns after the value was published; calls may still be on their way.
    func report(_ flags: ReachabilityFlags) async {
        await inLoop { self.receive(ReachabilitySnapshot(flags: flags)) }
    }
}
