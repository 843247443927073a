// SPDX-License-Identifier: MIT

import Dispatch
import NetworkReachability
import SwiftTestSupport
import Testing

@testable import NetworkPath

/// Monitors that are started, iterated, cancelled, and dropped at random, while routes come and go.
@Suite(
    "NWPathMonitor under load", .enabled(if: Namespace.isAvailable, "needs network namespaces"),
    .timeLimit(.minutes(5)), .blocking)
struct HammerTests {
    static let queues = (0..<3).map { DispatchQueue(label: "HammerTests.\($0)") }

    @Test("nothing hangs, crashes, or is left")
    func hammer() async throws {
        let namespace = try Namespace.withDefaultRoute()
        let options = MonitorOptions(etcRoot: "")
        let path = NetworkNamespace.path(namespace.path)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for seed in 0..<6 {
                group.addTask {
                    var random = SystemRandomNumberGenerator()
                    for _ in 0..<40 {
                        let monitor = NWPathMonitor(in: path, options: options) { _ in true }
                        monitor.pathUpdateHandler = { [weak monitor] path in
                            if path.supportsIPv6 { monitor?.cancel() }
                        }
                        let queue = Self.queues[seed % Self.queues.count]
                        let action = UInt8.random(in: 0..<5, using: &random)
                        if action != 0 { monitor.start(queue: queue) }
                        if action < 3 {
                            var iterator = monitor.makeAsyncIterator()
                            _ = await iterator.next()
                            if action == 1 { monitor.cancel() }
                        }
                        if action == 4 { monitor.cancel() }
                    }
                }
            }
            group.addTask {
                for _ in 0..<60 {
                    try namespace.ip("route del default")
                    try namespace.ip("route add default via 10.9.0.2")
                    await Task.yield()
                }
            }
            try await group.waitForAll()
        }
        for queue in Self.queues { queue.sync {} }
        while try NetworkHost.statistics(in: path, options: options) != nil { await Task.yield() }
    }

    @Test("an iteration that waits ends with its task")
    func cancelled() async throws {
        let namespace = try Namespace.withDefaultRoute()
        let options = MonitorOptions(etcRoot: "")
        let path = NetworkNamespace.path(namespace.path)
        let begun = Recorder<NWPath>()
        let task = Task {
            for await path in NWPathMonitor(in: path, options: options, allowing: { _ in true }) {
                begun.record(path)
            }
        }
        #expect(await begun.next()?.status == .satisfied)
        task.cancel()
        await task.value
        while try NetworkHost.statistics(in: path, options: options) != nil { await Task.yield() }
    }
}
