// SPDX-License-Identifier: MIT

import Foundation
import Synchronization
import Testing

@testable import NetworkReachability
// With this import, every file of the test target sees SwiftTestSupport.
@_exported import SwiftTestSupport

/// Passes snapshots to a manager, as a monitor does.
struct Feed {
    let session: MonitoringSession

    init(_ manager: NetworkReachabilityManager) {
        let session = MonitoringSession(receiver: manager)
        manager.stopMonitoring()
        _ = manager.state.withLock { $0.run(session, nil) }
        self.session = session
    }

    /// Returns after the manager has published the value; callbacks may still be pending.
    func send(_ snapshot: ReachabilitySnapshot) async {
        await session.take(snapshot)
    }

    func send(_ flags: ReachabilityFlags) async {
        await send(ReachabilitySnapshot(flags: flags))
    }

    func fail(_ errno: ReachabilityErrno) async {
        await inLoop { session.fail(errno) }
    }
}

/// Records notifications of one name and object while `body` runs.
func recording<Value: Sendable>(
    _ name: Notification.Name, of object: AnyObject,
    _ value: @escaping @Sendable (Notification) -> Value,
    _ body: (Recorder<Value>) async throws -> Void
) async rethrows {
    let recorder = Recorder<Value>()
    let identity = ObjectIdentifier(object)
    // Swift 6.2's center finds no observer of a `Reachability`.
    let token = NotificationCenter.default.addObserver(forName: name, object: nil, queue: nil) {
        guard ($0.object as AnyObject?).map(ObjectIdentifier.init) == identity else { return }
        recorder.record(value($0))
    }
    defer { NotificationCenter.default.removeObserver(token) }
    try await body(recorder)
}

/// A value that closures share.
final class Shared<Value: Sendable>: Sendable {
    let value: Mutex<Value>

    init(_ value: Value) {
        self.value = Mutex(value)
    }
}

/// Options that make name resolution independent of the machine.
let testOptions = MonitorOptions(
    etcRoot: "",
    resolver: { name in
        name == "localhost" ? (try? [NetworkAddress("127.0.0.1")]) ?? [] : []
    })

extension MonitoringSession {
    /// Receives a snapshot as from a monitor.
    func take(_ snapshot: ReachabilitySnapshot) async {
        await inLoop { self.receive(snapshot) }
    }
}

extension ReachabilityFlags {
    static let wwan: ReachabilityFlags = [.reachable, .isWWAN, .transientConnection]

    /// Every combination of the nine flags.
    static let all = (UInt32(0)..<512).map {
        ReachabilityFlags(rawValue: $0 & 0x3f | ($0 & ~0x3f) << 10)
    }
}

/// Waits for deliveries that the main queue has begun: after `dispatch_main` they end in an operation.
func mainDeliveries() async {
    await perform(on: .main)
    await withCheckedContinuation { continuation in
        OperationQueue.main.addOperation { continuation.resume() }
    }
}
