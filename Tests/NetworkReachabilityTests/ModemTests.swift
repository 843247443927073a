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
            // The modems set in the parent must not affect the child.
            [registered].apply(from: .modemManager)
            own.runInChild { try heed(other: other.path) }
        }
    }
}

private func heed(other path: String) throws {
    let waiting: ReachabilityFlags = [
        .reachable, .transientConnection, .connectionRequired, .isWWAN,
    ]
    let far = try ReachabilityTarget.address("192.0.2.1")
    let first = try Watch(far)
    let other = try Watch(far.with(namespace: .path(path)))
    try hold(first.take() == [], other.take() == [])
    [registered].apply(from: .modemManager)
    try hold(
        first.take() == waiting, MonitorHandle.check(far).reason == .notConnected,
        MonitorHandle.check(.internet).flags == waiting,
        MonitorHandle.check(far.with(namespace: .path(path))).flags == [])
    // This manager has its own monitor.
    let later = try Watch(far, options: MonitorOptions())
    try hold(later.take() == waiting)
    // The facts of the other source stay.
    [InterfaceFacts(name: "eth0", isMetered: true)].apply(from: .networkManager)
    [locked].apply(from: .modemManager)
    try hold(first.take() == waiting.union(.interventionRequired))
    [].apply(from: .modemManager)
    try hold(first.take() == [], MonitorHandle.check(far).reason == .noRoute, other.isSilent)
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
