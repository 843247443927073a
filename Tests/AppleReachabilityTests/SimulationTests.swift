// SPDX-License-Identifier: MIT

import AppleReachability
import Foundation
import NetworkReachability
import NetworkReachabilityTesting
import Testing

import SwiftTestSupport

@Suite("The simulation, with Apple's names", .timeLimit(.minutes(10)))
struct SimulationTests {
    /// The notification of each value follows on another turn of the main queue, where a thread of Dispatch serves it.
    @Test("A flush waits for deliveries that the main queue makes on a later turn")
    func laterTurn() async throws {
        let network = try SimulatedReachability()
        // A listener older than the manager's: each callback makes the main queue's next turn a slow one.
        _ = network.manager.addListener { _ in DispatchQueue.main.async { usleep(50_000) } }
        let manager = AFNetworkReachabilityManager(manager: network.manager)
        let seen = Recorder<AFNetworkReachabilityStatus>()
        manager.setReachabilityStatusChange { seen.record($0) }
        network.setOnline()
        manager.startMonitoring()
        await network.flush()
        #expect(seen.values == [.reachableViaWiFi])
        network.setOffline()
        await network.flush()
        #expect(seen.values == [.reachableViaWiFi, .notReachable])
        manager.stopMonitoring()
    }

    @Test("A flush waits for the blocks of a notifier that was started on the main queue")
    func notifierOnMain() async throws {
        let network = try SimulatedReachability()
        let reachability = Reachability(manager: network.manager)
        let seen = Recorder<String>()
        reachability.whenReachable = { seen.record("when \($0.connection)") }
        reachability.whenUnreachable = { seen.record("when \($0.connection)") }
        // Each callback keeps the main queue busy.
        _ = network.manager.addListener { _ in usleep(20_000) }
        #expect(await MainActor.run { reachability.startNotifier() })
        await network.flush()
        #expect(seen.values == ["when No Connection"])
        network.setOnline()
        await network.flush()
        #expect(seen.values == ["when No Connection", "when WiFi"])
        // What a stop discards isn't waited for.
        await MainActor.run {
            network.setOffline()
            reachability.stopNotifier()
        }
        await network.flush()
        #expect(seen.values.count == 2)
    }

    @Test("A flush doesn't wait for a run loop that nobody runs")
    func idleRunLoop() async throws {
        let network = try SimulatedReachability()
        let reachability = Reachability(manager: network.manager)
        let started = await withCheckedContinuation { continuation in
            Thread { continuation.resume(returning: reachability.startNotifier()) }.start()
        }
        #expect(started)
        network.setOnline()
        await network.flush()
        reachability.stopNotifier()
    }

    /// Runs a test with an object whose callbacks are recorded, on a run loop of its own.
    private func notifying(
        _ body: (SimulatedReachability, Reachability, RunLoopThread, Recorder<String>) async throws
            -> Void
    ) async throws {
        let network = try SimulatedReachability()
        let reachability = Reachability(manager: network.manager)
        let seen = Recorder<String>()
        reachability.whenReachable = { seen.record("when \($0.connection)") }
        reachability.whenUnreachable = { seen.record("when \($0.connection)") }
        reachability.reachableBlock = { _ in seen.record("reachable") }
        reachability.unreachableBlock = { _ in seen.record("unreachable") }
        let loop = RunLoopThread()
        try await body(network, reachability, loop, seen)
        reachability.stopNotifier()
        await loop.end()
    }

    @Test(
        "whenReachable is called at the start as in Reachability.swift, but not the wrappers' block"
    )
    func whenReachable() async throws {
        try await notifying { network, reachability, loop, seen in
            network.setOnline()
            #expect(await loop.perform { reachability.startNotifier() })
            #expect(await seen.next() == "when WiFi")
            network.setOnline(over: .cellular)
            #expect(await seen.next() == "when Cellular")
            #expect(await seen.next() == "reachable")
            network.setOffline()
            #expect(await seen.next() == "when No Connection")
            #expect(await seen.next() == "unreachable")
            #expect(seen.values.count == 5)
        }
    }

    @Test("whenUnreachable is called at the start, and a restart with equal flags calls nothing")
    func whenUnreachable() async throws {
        try await notifying { network, reachability, loop, seen in
            #expect(await loop.perform { reachability.startNotifier() })
            #expect(await seen.next() == "when No Connection")
            reachability.stopNotifier()
            #expect(await loop.perform { reachability.startNotifier() })
            await network.flush()
            await loop.settle()
            #expect(seen.values.count == 1)
            // Another interface with equal flags calls the wrappers' block alone.
            network.setOnline(over: .wifi)
            #expect(await seen.next() == "when WiFi")
            #expect(await seen.next() == "reachable")
            network.setOnline(over: .wiredEthernet)
            #expect(await seen.next() == "reachable")
        }
    }
}
