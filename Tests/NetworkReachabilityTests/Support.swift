// SPDX-License-Identifier: MIT

// What is in this module stands for the whole of this one.
@_exported import SwiftTestSupport
import Foundation
import Synchronization

@testable import NetworkReachability

/// Feeds a manager by hand, the way a monitor would.
struct Feed {
    let manager: NetworkReachabilityManager
    let session: MonitoringSession
    /// Whether the loop has nothing else to call, so that it may call itself.
    let isAlone: Bool

    init(_ manager: NetworkReachabilityManager, isAlone: Bool = true) throws {
        let session = MonitoringSession(receiver: manager)
        _ = manager.state.withLock { $0.run(session, nil) }
        try manager.startMonitoring()
        self.manager = manager
        self.session = session
        self.isAlone = isAlone
    }

    /// Returns after the manager has published the value; calls may still be on their way.
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
    /// Takes a value the way it comes from a monitor.
    func take(_ snapshot: ReachabilitySnapshot, isAlone: Bool = true) async {
        await inLoop {
            self.receive(snapshot) + (isAlone ? [] : [.on(.global()) {}])
        }
    }
}

extension ReachabilityFlags {
    static let wwan: ReachabilityFlags = [.reachable, .isWWAN, .transientConnection]
}

/// Calls that the calling thread is in the middle of; Foundation counts some hundred.
func callDepth() -> Int {
    Thread.callStackReturnAddresses.count
}
