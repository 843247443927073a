// SPDX-License-Identifier: MIT

import Dispatch
import Foundation
import Observation
import Testing

@testable import NetworkReachability

@Suite("Metered interfaces", .timeLimit(.minutes(10)))
struct MeteredTests {
    /// Runs in a child process, whose main thread enters a new namespace.
    @Test(
        "Monitors and queries in the process's namespace report isMetered of their interface",
        .needsNamespaces)
    func process() async {
        await #expect(processExitsWith: .success) {
            let own = try Namespace.withDefaultRoute()
            try own.ip("link add link eth0 name mac0 type macvlan")
            try own.ip("link set mac0 up")
            try own.ip("addr add 10.10.0.1/24 dev mac0")
            // The values set in the parent must not affect the child.
            apply(["eth0": false, "mac0": false])
            own.runInChild { try heed(own) }
        }
    }
}

private func heed(_ own: Namespace) throws {
    let far = try ReachabilityTarget.address("192.0.2.1")
    let near = try ReachabilityTarget.address("10.10.0.2")
    let another = try Namespace.withDefaultRoute()
    let elsewhere = far.with(namespace: .path(another.path))
    let first = try Watch(far)
    let upper = try Watch(near)
    let local = try Watch(.address("127.0.0.1"))
    let other = try Watch(elsewhere)
    try hold([first, upper, local, other].allSatisfy({ $0.comes(to: .unknown) }))
    apply(["eth0": true])
    try hold(first.comes(to: .metered))
    try hold(
        try MonitorHandle.check(far).isExpensive, try MonitorHandle.check(.internet).isExpensive,
        try !MonitorHandle.check(near).isExpensive, try !MonitorHandle.check(elsewhere).isExpensive,
        try MonitorHandle.explain(far).snapshot.isExpensive)
    // This manager has its own monitor.
    let later = try Watch(far, options: MonitorOptions())
    try hold(later.comes(to: .metered))
    apply(["eth0": true, "mac0": false, "mac2": true])
    try hold(upper.comes(to: .free), try upper.current() == .free)
    // A rename of the interface counts, and so does another interface.
    try own.ip("link set mac0 down")
    try own.ip("link set mac0 name mac1")
    try own.ip("link set mac1 up")
    try hold(upper.comes(to: .unknown))
    // So does a name that was announced before an interface has it.
    try own.ip("link set mac1 down")
    try own.ip("link set mac1 name mac2")
    try own.ip("link set mac2 up")
    try hold(upper.comes(to: .metered))
    try own.ip("link set mac2 down")
    try own.ip("link set mac2 name mac0")
    try own.ip("link set mac0 up")
    try hold(upper.comes(to: .free))
    try own.ip("route replace default via 10.10.0.2")
    try hold(first.comes(to: .free), later.comes(to: .free))
    try own.ip("link del mac0")
    try hold(first.comes(to: .unknown), later.comes(to: .unknown), upper.comes(to: .unknown))
    try own.ip("route add default via 10.9.0.2")
    try hold(first.comes(to: .metered), later.comes(to: .metered), upper.comes(to: .metered))
    apply(["eth0": false])
    try hold(first.comes(to: .free), later.comes(to: .free), upper.comes(to: .free))
    apply([:])
    try hold(first.comes(to: .unknown), later.comes(to: .unknown), upper.comes(to: .unknown))
    try hold(MonitorHandle.check(far).isMetered == nil)
    try hold(local.comes(to: .unknown), other.comes(to: .unknown))
}

private func apply(_ metered: [String: Bool]) {
    metered.map { InterfaceFacts(name: $0.key, isMetered: $0.value) }.apply(from: .networkManager)
}

/// A started manager whose `isMetered` a test can await.
private struct Watch {
    enum Value { case unknown, metered, free }

    private let manager: NetworkReachabilityManager

    init(_ target: ReachabilityTarget, options: MonitorOptions = .standard) throws {
        manager = try NetworkReachabilityManager(target: target, options: options)
        try manager.startMonitoring()
    }

    private static func value(of snapshot: ReachabilitySnapshot) -> Value {
        snapshot.isMetered.map { $0 ? .metered : .free } ?? .unknown
    }

    /// Whether the manager has a snapshot with this value within two minutes.
    ///
    /// Polls instead of using a listener: in a child of fork() libdispatch has no threads.
    func comes(to value: Value) -> Bool {
        let end = monotonicSeconds() + 120
        while manager.snapshot.status == .unknown || Watch.value(of: manager.snapshot) != value {
            guard monotonicSeconds() < end else { return false }
            sched_yield()
        }
        return true
    }

    func current() throws -> Value {
        Watch.value(of: try manager.currentSnapshot())
    }
}
