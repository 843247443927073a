// SPDX-License-Identifier: MIT

// What is in this module stands for the whole of this one.
@_exported import SwiftTestSupport
import Foundation
import Synchronization

@testable import NetworkReachability

/// Feeds a manager by hand, the way a monitor would.
struct Feed {
    let manager: NetworkReachabilityManager
    let session: Session

    init(_ manager: NetworkReachabilityManager) throws {
        let session = Session(manager: manager)
        manager.state.withLock { $0.run(session, nil) }
        try manager.startMonitoring()
        self.manager = manager
        self.session = session
    }

    /// Returns after the manager has published the value; callbacks may still be on their way.
    func send(_ snapshot: ReachabilitySnapshot) async {
        await session.take(snapshot)
    }

    func send(_ flags: ReachabilityFlags) async {
        await send(ReachabilitySnapshot(flags: flags))
    }

    func fail(_ errno: Errno) async {
        let session = session
        await perform(on: MonitorHub.queue) {
            var courier = Courier()
            session.fail(errno, by: &courier)
        }
    }
}

extension Session {
    /// Takes a value the way it comes from a monitor.
    func take(_ snapshot: ReachabilitySnapshot) async {
        await perform(on: MonitorHub.queue) {
            var courier = Courier()
            self.receive(snapshot, by: &courier)
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
