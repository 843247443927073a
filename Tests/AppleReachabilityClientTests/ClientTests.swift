// SPDX-License-Identifier: MIT

import AppleReachability
import Foundation
import NetworkReachabilityTesting
import SwiftTestSupport
import Testing

@MainActor
@Suite("Clients of both families", .timeLimit(.minutes(10)))
struct ClientTests {
    /// One for each object: an object of either family stops its manager before it starts it.
    let networks: [SimulatedReachability]
    var network: SimulatedReachability { networks[0] }

    init() throws {
        networks = try (0..<2).map { _ in try SimulatedReachability() }
    }

    @Test("A class on the main actor, and one that isn't Sendable, follow the manager")
    func networking() async {
        let (view, model) = (StatusView(), StatusModel())
        let managers = networks.map { AFNetworkReachabilityManager(manager: $0.manager) }
        view.follow(managers[0])
        model.follow(managers[1])
        defer { managers.forEach { $0.stopMonitoring() } }
        for network in networks { network.setOnline() }
        for network in networks { await network.flush() }
        #expect(view.texts == ["Not Reachable", "Reachable via WiFi"])
        #expect(model.texts == ["Not Reachable", "Reachable via WiFi"])
    }

    private static let sample = [
        "when No Connection", "when WiFi", "reachable", "Reachable", "when No Connection",
        "unreachable", "Not Reachable",
    ]

    /// Lets the main queue serve the main run loop.
    private func wait(until hasAll: () -> Bool) async {
        while !hasAll() {
            await withCheckedContinuation { continuation in
                OperationQueue.main.addOperation { continuation.resume() }
            }
        }
    }

    @Test("A class on the main actor, and one that isn't Sendable, follow Reachability")
    func notifiers() async {
        let (view, model) = (StatusView(), StatusModel())
        let notifiers = networks.map { Reachability(manager: $0.manager) }
        view.follow(notifiers[0])
        model.follow(notifiers[1])
        for notifier in notifiers { #expect(notifier.startNotifier()) }
        await wait { view.texts.count == 1 && model.texts.count == 1 }
        for network in networks { network.setOnline() }
        await wait { view.texts.count == 4 && model.texts.count == 4 }
        for network in networks { network.setOffline() }
        await wait { view.texts.count == 7 && model.texts.count == 7 }
        for notifier in notifiers { notifier.stopNotifier() }
        #expect(view.texts == Self.sample && model.texts == Self.sample)
    }

    @Test("A class on the main actor follows NetworkReachabilityManager, in order")
    func facade() async throws {
        let view = StatusView()
        try view.follow(network.manager)
        await network.flush()
        #expect(
            view.texts == [
                "block notReachable", "snapshot Not Reachable", "notReachable", "observed false",
            ])
        view.texts = []
        network.setOnline()
        network.setOffline()
        await network.flush()
        #expect(
            view.texts == [
                "block reachableViaWiFi", "snapshot Reachable", "reachableViaWiFi", "observed true",
                "block notReachable", "snapshot Not Reachable", "notReachable", "observed false",
            ])
        view.end(network.manager)
        network.setOnline()
        await network.flush()
        #expect(view.texts.count == 8)
    }

    @Test("A block that is read and set again still works")
    func readBack() {
        let model = StatusModel()
        let reachability = Reachability(manager: network.manager)
        #expect(reachability.whenReachable == nil && reachability.reachabilityBlock == nil)
        model.follow(reachability)
        reachability.whenReachable = reachability.whenUnreachable
        reachability.whenReachable?(reachability)
        reachability.reachabilityBlock?(reachability, .reachable)
        reachability.whenUnreachable = nil
        #expect(reachability.whenUnreachable == nil)
        #expect(model.texts == ["when No Connection", "Reachable"])
    }
}
