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
    /// Nil if nothing is kept for the thread that feeds.
    let kept: KeptCall?

    init(_ manager: NetworkReachabilityManager, keeping kept: KeptCall? = nil) throws {
        let session = Session(manager: manager)
        manager.state.withLock { $0.run(session, nil) }
        try manager.startMonitoring()
        self.manager = manager
        self.session = session
        self.kept = kept
    }

    /// Returns after the manager has published the value, and what was kept is told; other calls may
    /// still be on their way.
    func send(_ snapshot: ReachabilitySnapshot) async {
        await session.take(snapshot, keeping: kept)
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
    func take(_ snapshot: ReachabilitySnapshot, keeping kept: KeptCall? = nil) async {
        let hasKept = Recorder<Bool>()
        await perform(on: MonitorHub.queue) {
            var courier = kept.map { Courier($0, isCaller: true) } ?? Courier()
            self.receive(snapshot, by: &courier)
            hasKept.record(courier.hasKept)
        }
        guard let kept, hasKept.values == [true] else { return }
        await perform(on: .global()) { kept.call() }
    }
}

extension ReachabilityFlags {
    static let wwan: ReachabilityFlags = [.reachable, .isWWAN, .transientConnection]
}

/// Calls that the calling thread is in the middle of; Foundation counts some hundred.
func callDepth() -> Int {
    Thread.callStackReturnAddresses.count
}
