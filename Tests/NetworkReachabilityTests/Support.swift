// SPDX-License-Identifier: MIT

import Dispatch
import Synchronization
import Testing

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
        let session = session
        await perform(on: MonitorHub.queue) { session.receive(snapshot) }
    }

    func send(_ flags: ReachabilityFlags) async {
        await send(ReachabilitySnapshot(flags: flags))
    }

    func fail(_ errno: Errno) async {
        let session = session
        await perform(on: MonitorHub.queue) { session.fail(errno) }
    }
}

/// Runs `work` on `queue` after all that is there already.
func perform(on queue: DispatchQueue, _ work: @escaping @Sendable () -> Void = {}) async {
    await withCheckedContinuation { continuation in
        queue.async {
            work()
            continuation.resume()
        }
    }
}

/// Keeps what callbacks are told, and lets a test wait for it.
final class Recorder<Value: Sendable>: Sendable {
    private let all = Mutex<[Value]>([])
    private let stream: AsyncStream<Value>
    private let continuation: AsyncStream<Value>.Continuation

    init() {
        (stream, continuation) = AsyncStream.makeStream()
    }

    var values: [Value] {
        all.withLock { $0 }
    }

    func record(_ value: Value) {
        all.withLock { $0.append(value) }
        continuation.yield(value)
    }

    /// Waits until a value fits.
    func first(where fits: (Value) -> Bool) async -> Value? {
        for await value in stream where fits(value) { return value }
        return nil
    }
}

extension ReachabilityFlags {
    static let wwan: ReachabilityFlags = [.reachable, .isWWAN, .transientConnection]
}

extension DispatchQueue {
    static func test(_ name: String = #function) -> DispatchQueue {
        DispatchQueue(label: "test \(name)")
    }
}
