// SPDX-License-Identifier: MIT

import Foundation
import NetworkReachabilityTesting
import SystemConfiguration
import Testing

@testable import AppleReachability
@testable import NetworkReachability

/// Records the calls of both families and of SCNetworkReachability for one target.
private final class Reports: Sendable {
    let networking = Recorder<AFNetworkReachabilityStatus>()
    let observed = Recorder<AFNetworkReachabilityStatus?>()
    let sample = Recorder<NetworkStatus>()
    let reference = Recorder<SCNetworkReachabilityFlags>()
    let queue = DispatchQueue(label: "test reports")

    /// Called on a thread in the network namespace.
    func startReference(_ address: String) -> SCNetworkReachability? {
        let target = unsafe SCNetworkReachabilityCreateWithName(nil, address)
        guard let target else { return nil }
        var context = unsafe SCNetworkReachabilityContext()
        unsafe context.info = Unmanaged.passUnretained(self).toOpaque()
        unsafe SCNetworkReachabilitySetCallback(
            target,
            { _, flags, info in
                guard let info = unsafe info else { return }
                unsafe Unmanaged<Reports>.fromOpaque(info).takeUnretainedValue()
                    .reference.record(flags)
            }, &context)
        return SCNetworkReachabilitySetDispatchQueue(target, queue) ? target : nil
    }

    /// Returns when everything that was published has been reported.
    func flush(_ loop: RunLoopThread) async {
        await mainDeliveries()
        await perform(on: queue)
        await perform(on: ReachabilityNotifier.queue)
        await loop.settle()
    }
}

@Suite("Both families report the verdict", .timeLimit(.minutes(10)))
struct VerdictTests {
    @Test(
        "As with SCNetworkReachability, a new gateway, source, or reason is not reported",
        .needsNamespaces)
    func asReference() async throws {
        let address = "198.51.100.1"
        let network = try Namespace.withDefaultRoute()
        try network.ip("addr add 10.9.0.5/24 dev eth0")
        let target = try ReachabilityTarget.address(address).with(namespace: .path(network.path))
        let reports = Reports()
        let loop = RunLoopThread()
        let reference = try #require(try network.run { reports.startReference(address) })
        let networking = AFNetworkReachabilityManager(reachability: target)
        networking.setReachabilityStatusChange { reports.networking.record($0) }
        let observation = networking.observe(\.networkReachabilityStatus, options: .new) {
            reports.observed.record($1.newValue)
        }
        let sample = try Reachability(reachabilityRef: target)
        sample.reachabilityBlock = { reports.sample.record(NetworkStatus(flags: $1)) }
        #expect(await loop.perform { sample.startNotifier() })
        networking.startMonitoring()
        let manager = try NetworkReachabilityManager(target: target)
        let published = Recorder<ReachabilitySnapshot>()
        manager.addListener(queue: reports.queue) { published.record($0) }
        try manager.startMonitoring()
        await published.next()
        await reports.flush(loop)
        #expect(reports.networking.values == [.reachableViaWiFi])
        for change in [
            "replace default via 10.9.0.3", "replace default via 10.9.0.2 src 10.9.0.5",
            "replace default via 10.9.0.2", "del default", "add unreachable default",
            "del unreachable default", "add prohibit default", "del prohibit default",
            "add default via 10.9.0.2", "replace default via 10.9.0.3",
            "replace default via 10.9.0.2", "add \(address) dev eth0",
        ] {
            try network.ip("route \(change)")
            await published.next()
            await reports.flush(loop)
        }
        #expect(published.values.count == 13)
        #expect(reports.reference.values == [[], .reachable, [.reachable, .isDirect]])
        let changes: [AFNetworkReachabilityStatus] = [
            .notReachable, .reachableViaWiFi, .reachableViaWiFi,
        ]
        #expect(reports.networking.values == [.reachableViaWiFi] + changes)
        #expect(reports.observed.values == [.reachableViaWiFi] + changes)
        #expect(reports.sample.values == [.NotReachable, .ReachableViaWiFi, .ReachableViaWiFi])
        #expect(SCNetworkReachabilitySetDispatchQueue(reference, nil))
        observation.invalidate()
        networking.stopMonitoring()
        await loop.perform { sample.stopNotifier() }
        await loop.end()
    }

    @Test(
        "A new interface and a failure while unreachable are reported, but no new name or cost")
    func interfaces() async throws {
        let network = try SimulatedReachability()
        let manager = AFNetworkReachabilityManager(manager: network.manager)
        let blocks = Recorder<AFNetworkReachabilityStatus>()
        manager.setReachabilityStatusChange { blocks.record($0) }
        manager.startMonitoring()
        let states: [(name: String, index: UInt32, metered: Bool?, count: Int)] = [
            ("eth0", 2, nil, 2), ("lan0", 2, nil, 2), ("lan0", 2, true, 2), ("eth1", 3, true, 3),
        ]
        for state in states {
            network.setSnapshot(
                ReachabilitySnapshot(
                    flags: .reachable,
                    interface: .init(
                        index: state.index, name: state.name, interfaceClass: .wiredEthernet),
                    isMetered: state.metered))
            await network.flush()
            #expect(blocks.values.count == state.count)
        }
        // Each session begins with a report, whatever the previous one ended with.
        manager.stopMonitoring()
        manager.startMonitoring()
        await network.flush()
        #expect(blocks.values.count == 4)
        // While the target is unreachable, its interface doesn't count.
        for index: UInt32 in 2...4 {
            network.setSnapshot(
                ReachabilitySnapshot(
                    flags: [],
                    interface: .init(index: index, name: "eth0", interfaceClass: .wiredEthernet),
                    reason: .linkDown))
            await network.flush()
        }
        #expect(blocks.values.count == 5 && blocks.values.last == .notReachable)
        network.fail()
        await network.flush()
        #expect(blocks.values.count == 6 && blocks.values.last == .unknown)
    }

    @Test("New addresses of a name are reported, but not a new order")
    func addresses() async throws {
        let network = try SimulatedReachability(
            target: .domain("www.example.com", policy: .optimistic))
        network.setOnline()
        let reachability = Reachability(manager: network.manager)
        let loop = RunLoopThread()
        let reported = Recorder<ReachabilityFlags>()
        reachability.reachabilityBlock = { reported.record($1) }
        #expect(await loop.perform { reachability.startNotifier() })
        await reported.next()
        let first = try NetworkAddress("192.0.2.1")
        let second = try NetworkAddress("192.0.2.2")
        for (addresses, count) in [([first, second], 2), ([second, first], 2), ([second], 3)] {
            network.setNameResolved(to: addresses)
            await network.flush()
            await loop.settle()
            #expect(reported.values.count == count)
        }
        await loop.perform { reachability.stopNotifier() }
        await loop.end()
    }
}
