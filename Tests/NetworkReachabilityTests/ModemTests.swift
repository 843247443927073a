// SPDX-License-Identifier: MIT

import Dispatch
import Testing

@testable import NetworkReachability

@Suite("Modems", .needsNamespaces, .timeLimit(.minutes(10)))
struct ModemTests {
    /// Runs in a child process, whose main thread enters a new namespace.
    @Test("Modems affect existing and later monitors and queries in the process's namespace only")
    func process() async {
        await #expect(processExitsWith: .success) {
            let own = try Namespace()
            let other = try Namespace()
            // The child makes all calls itself if its parent has a loop.
            _ = try MonitorLoop.current()
            // The modems set in the parent must not affect the child.
            [registered].apply(from: .modemManager)
            let child = fork(atRest: true) {
                guard (try? own.enter()) != nil else { return 1 }
                return (try? heed(other: other.path)) == true ? 0 : 2
            }
            precondition(wait(for: child) == 0)
        }
    }
}

private func heed(other path: String) throws -> Bool {
    let waiting: ReachabilityFlags = [
        .reachable, .transientConnection, .connectionRequired, .isWWAN,
    ]
    let far = try ReachabilityTarget.address("192.0.2.1")
    let first = try Watch(far)
    let other = try Watch(far.with(namespace: .path(path)))
    guard first.take() == [], other.take() == [] else { return false }
    [registered].apply(from: .modemManager)
    guard first.take() == waiting else { return false }
    guard try MonitorHandle.check(far).reason == .notConnected,
        try MonitorHandle.check(.internet).flags == waiting,
        try MonitorHandle.check(far.with(namespace: .path(path))).flags == []
    else { return false }
    // This manager has its own monitor.
    let later = try Watch(far, options: MonitorOptions())
    guard later.take() == waiting else { return false }
    // The facts of the other source stay.
    [InterfaceFacts(name: "eth0", isMetered: true)].apply(from: .networkManager)
    [locked].apply(from: .modemManager)
    guard first.take() == waiting.union(.interventionRequired) else { return false }
    [].apply(from: .modemManager)
    guard first.take() == [] else { return false }
    return try MonitorHandle.check(far).reason == .noRoute && other.isSilent
}

private let registered = InterfaceFacts(name: "", modem: .registered)
private let locked = InterfaceFacts(name: "wwan77", modem: .locked)

/// A started manager that collects the flags of its target.
private struct Watch {
    private let manager: NetworkReachabilityManager
    private let flags = Mailbox<ReachabilityFlags>()

    init(_ target: ReachabilityTarget, options: MonitorOptions = .standard) throws {
        manager = try NetworkReachabilityManager(target: target, options: options)
        manager.addListener(queue: .test()) { [flags] in flags.put($0.flags) }
        try manager.startMonitoring()
    }

    func take() -> ReachabilityFlags? { flags.take() }

    /// Whether all flags have been taken.
    var isSilent: Bool { flags.isEmpty }
}
