// SPDX-License-Identifier: MIT

import Dispatch
import Foundation
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
        let closed = Recorder<Bool>()
        let options = MonitorOptions(etcRoot: "", onClose: { closed.record(true) })
        let path = NetworkNamespace.path(namespace.path)
        // Keeps the kernel's monitor open, so that one end is the end of all.
        let last = NWPathMonitor(in: path, options: options) { _ in true }
        last.start(queue: Self.queues[0])
        let watchdog = Watchdog(workers: 3, patience: 120)
        let ended = Recorder<Int>()
        for worker in 0..<3 {
            Thread.detachNewThread {
                for round in 0..<60 {
                    Self.use(NWPathMonitor(in: path, options: options) { _ in true }, round)
                    watchdog.step(worker)
                }
                watchdog.leave(worker)
                ended.record(worker)
            }
        }
        for _ in 0..<20 {
            try namespace.ip("route del default")
            try namespace.ip("route add default via 10.9.0.2")
        }
        for _ in 0..<3 { await ended.next() }
        watchdog.end()
        last.cancel()
        #expect(await closed.next() == true)
        #expect(closed.values.count == 1)
    }

    /// A monitor's life, by its number.
    private static func use(_ monitor: NWPathMonitor, _ number: Int) {
        monitor.pathUpdateHandler = { [weak monitor] path in
            if path.status == .unsatisfied { monitor?.cancel() }
        }
        if number % 5 != 0 { monitor.start(queue: queues[number % queues.count]) }
        if number % 3 == 0 { _ = monitor.makeAsyncIterator() }
        // One that was started lives until then.
        if number % 4 == 0 {
            monitor.cancel()
        } else {
            queues[(number + 1) % queues.count].async { monitor.cancel() }
        }
    }

    @Test("an iteration that waits ends with its task")
    func cancelled() async throws {
        let namespace = try Namespace.withDefaultRoute()
        let closed = Recorder<Bool>()
        let options = MonitorOptions(etcRoot: "", onClose: { closed.record(true) })
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
        #expect(await closed.next() == true)
    }
}
