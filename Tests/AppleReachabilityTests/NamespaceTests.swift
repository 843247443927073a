// SPDX-License-Identifier: MIT

import CTestSupport
import Foundation
import Testing

@testable import AppleReachability
@testable import NetworkReachability

/// A network of the test's own: lo, and one end of a veth pair with a default route.
private final class Network: Sendable {
    static let isPossible: Bool = {
        let descriptor = test_netns_create()
        if descriptor >= 0 { close(descriptor) }
        return descriptor >= 0
    }()

    let descriptor: Int32

    init() throws {
        descriptor = test_netns_create()
        try #require(descriptor >= 0)
        try ip("link add one type veth peer name two")
        try ip("link set one up")
        try ip("link set two up")
        try ip("address add 192.0.2.2/24 dev one")
        try ip("route add default via 192.0.2.1")
    }

    deinit {
        close(descriptor)
    }

    var namespace: NetworkNamespace { .path("/proc/self/fd/\(descriptor)") }

    func ip(_ command: String) throws {
        let words = ["ip"] + command.split(separator: " ").map(String.init)
        let result = try Child(words, namespace: descriptor).finish()
        try #require(result.status == 0, "ip \(command): \(result.output)")
    }
}

@Suite(
    "On a network that changes", .timeLimit(.minutes(1)), .enabled(if: Network.isPossible),
    .serialized)
struct NamespaceTests {
    @Test("the zero address is reachable as long as there is a default route")
    func internet() async throws {
        let network = try Network()
        let target = ReachabilityTarget.internet.with(namespace: network.namespace)
        let manager = AFNetworkReachabilityManager(reachability: target)
        let blocks = Recorder<AFNetworkReachabilityStatus>()
        manager.setReachabilityStatusChange { blocks.record($0) }
        manager.startMonitoring()
        #expect(await blocks.next() == .reachableViaWiFi)
        try network.ip("route delete default")
        #expect(await blocks.next { $0 == .notReachable } == .notReachable)
        #expect(!manager.isReachable)
        try network.ip("route add default via 192.0.2.1")
        #expect(await blocks.next { $0.isReachable } == .reachableViaWiFi)
        manager.stopMonitoring()
    }

    @Test("the sample is told when the cable goes and when it is back")
    func sample() async throws {
        let network = try Network()
        let loop = await LoopThread.start()
        for target in [.internet, try ReachabilityTarget.address("192.0.2.7")] {
            let reachability = try Reachability(
                reachabilityRef: target.with(namespace: network.namespace))
            #expect(reachability.currentReachabilityStatus() == ReachableViaWiFi)
            let status: @Sendable (Notification) -> NetworkStatus? = {
                ($0.object as? Reachability)?.currentReachabilityStatus()
            }
            try await recording(kReachabilityChangedNotification, of: reachability, status) {
                #expect(await loop.perform { reachability.startNotifier() })
                try network.ip("link set two down")
                #expect(await $0.next { $0 == NotReachable } == NotReachable)
                try network.ip("link set two up")
                #expect(await $0.next { $0 == ReachableViaWiFi } == ReachableViaWiFi)
            }
            await loop.perform { reachability.stopNotifier() }
        }
        await loop.stop()
    }
}
