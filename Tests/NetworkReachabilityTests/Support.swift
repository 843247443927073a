// SPDX-License-Identifier: MIT

// With this import, every file of the test target sees SwiftTestSupport.
@_exported import SwiftTestSupport
import Foundation
import Synchronization

@testable import NetworkReachability

/// Passes snapshots to a manager, as a monitor does.
struct Feed {
    let manager: NetworkReachabilityManager
    let session: MonitoringSession
    /// Whether the loop has no other call to make, so that its thread may make this one.
    let isAlone: Bool

    init(_ manager: NetworkReachabilityManager, isAlone: Bool = true) throws {
        let session = MonitoringSession(receiver: manager)
        _ = manager.state.withLock { $0.run(session, nil) }
        try manager.startMonitoring()
        self.manager = manager
        self.session = session
        self.isAlone = isAlone
    }

    /// Returns after the manager has published the value; calls may still be pending.
    func send(_ snapshot: ReachabilitySnapshot) async {
        await session.take(snapshot, isAlone: isAlone)
    }

    func send(_ flags: ReachabilityFlags) async {
        await send(ReachabilitySnapshot(flags: flags))
    }

    func fail(_ errno: ReachabilityErrno) async {
        await inLoop { session.fail(errno) }
    }
}

extension MonitoringSession {
    /// Receives a snapshot as from a monitor.
    func take(_ snapshot: ReachabilitySnapshot, isAlone: Bool = true) async {
        await inLoop {
            self.receive(snapshot) + (isAlone ? [] : [.on(.global()) {}])
        }
    }
}

extension ReachabilityFlags {
    static let wwan: ReachabilityFlags = [.reachable, .isWWAN, .transientConnection]
}

/// The depth of the calling thread's stack; Foundation counts some hundred frames.
func callDepth() -> Int {
    Thread.callStackReturnAddresses.count
}

extension [InterfaceFacts?] {
    /// Makes these the latest facts of a service.
    func apply(from service: InterfaceFeeds.Service) {
        let facts = compactMap(\.self)
        _ = InterfaceFeeds.current.add(service) { facts }
        InterfaceFeeds.current.apply()
    }
}
