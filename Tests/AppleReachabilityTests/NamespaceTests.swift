// SPDX-License-Identifier: MIT

import Foundation
import Testing

@testable import AppleReachability
@testable import NetworkReachability

extension Namespace {
    /// The namespace in the form that a target takes.
    fileprivate var namespace: NetworkNamespace { .path(path) }
}

@Suite("Changes of the network", .timeLimit(.minutes(10)), .needsNamespaces, .serialized)
struct NamespaceTests {
    @Test("Reachability posts when the carrier is lost and when it is back")
    func sample() async throws {
        let network = try Namespace.withDefaultRoute()
        let loop = RunLoopThread()
        for target in [.internet, try ReachabilityTarget.address("10.9.0.7")] {
            let reachability = try Reachability(
                reachabilityRef: target.with(namespace: network.namespace))
            #expect(reachability.currentReachabilityStatus() == ReachableViaWiFi)
            let status: @Sendable (Notification) -> NetworkStatus? = {
                ($0.object as? Reachability)?.currentReachabilityStatus()
            }
            try await recording(kReachabilityChangedNotification, of: reachability, status) {
                #expect(await loop.perform { reachability.startNotifier() })
                try network.setCarrier(false)
                #expect(await $0.first { $0 == NotReachable } == NotReachable)
                try network.setCarrier(true)
                #expect(await $0.first { $0 == ReachableViaWiFi } == ReachableViaWiFi)
            }
            await loop.perform { reachability.stopNotifier() }
        }
        await loop.end()
    }
}
