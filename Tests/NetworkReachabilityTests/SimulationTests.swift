// SPDX-License-Identifier: MIT

import Dispatch
import NetworkReachabilityTesting
import Observation
import Synchronization
import Testing

@testable import NetworkReachability

@Suite("The simulation", .timeLimit(.minutes(10)))
struct SimulationTests {
    let network: SimulatedReachability
    let queue = DispatchQueue.test()

    var manager: NetworkReachabilityManager { network.manager }

    init() throws {
        network = try SimulatedReachability()
    }

    @Test("Set functions return once properties are set, and flush() once callbacks were called")
    func deterministic() async throws {
        let statuses = Recorder<NetworkReachabilityStatus>()
        let names = Recorder<String>()
        manager.setReachabilityStatusChangeBlock(queue: queue) { statuses.record($0) }
        manager.addListener(queue: queue) { snapshot in
            names.record(
                snapshot.reason.isFailure
                    ? snapshot.reason.rawValue : snapshot.interface?.name ?? ""
            )
        }
        #expect(manager.networkReachabilityStatus == .unknown && !manager.isMonitoring)
        network.setOnline(over: .wiredEthernet)
        try manager.startMonitoring()
        await network.flush()
        #expect(statuses.values == [.reachableViaWiFi] && names.values == ["eth0"])
        for _ in 0..<100 {
            network.setOffline(.linkDown)
            #expect(manager.networkReachabilityStatus == .notReachable)
            #expect(manager.snapshot.reason == .linkDown && manager.snapshot.interface != nil)
            network.setOnline(over: .cellular)
            #expect(manager.isReachableViaWWAN && manager.snapshot.isExpensive)
        }
        network.setOnline(over: .cellular)
        network.setOnline(over: .cellular, interface: "wwan1")
        await network.flush()
        var expected: [NetworkReachabilityStatus] = [.reachableViaWiFi]
        for _ in 0..<100 { expected += [.notReachable, .reachableViaWWAN] }
        #expect(statuses.values == expected)
        #expect(names.values.suffix(3) == ["linkDown", "wwan0", "wwan1"])
        #expect(names.values.count == 202)
        network.setOnline(over: .wifi, isMetered: true)
        #expect(manager.isReachableViaWiFi && manager.snapshot.isExpensive)
        network.setOnline(over: .wifi, isMetered: false)
        #expect(manager.snapshot.isMetered == false && !manager.snapshot.isExpensive)
        await network.flush()
        manager.stopMonitoring()
        network.setOffline()
        await network.flush()
        #expect(names.values.count == 204 && manager.isReachable)
        #expect(try manager.currentSnapshot().reason == .noRoute)
    }

    @Test("A family restricts a name's addresses, and local Wi-Fi is not reachable over cellular")
    func restrictions() throws {
        func simulate(_ target: ReachabilityTarget) throws -> SimulatedReachability {
            let network = try SimulatedReachability(target: target)
            try network.manager.startMonitoring()
            network.setOnline(over: .wifi, families: [.ipv4])
            return network
        }
        let six = try simulate(.domain("name.test").with(family: .ipv6))
        #expect(six.manager.snapshot.reason == .noAddress)
        six.setNameResolved(
            to: [try NetworkAddress("192.0.2.1"), try NetworkAddress("2001:db8::1")])
        #expect(six.manager.snapshot.reason == .noRoute)
        #expect(six.manager.snapshot.addresses.map(\.description) == ["2001:db8::1"])
        let pending = try simulate(.domain("name.test", policy: .optimistic).with(family: .ipv6))
        pending.setNamePending()
        #expect(!pending.manager.isReachable)
        let local = try simulate(.localWiFi)
        #expect(local.manager.flags == [.reachable, .isDirect])
        local.setOnline(over: .cellular)
        #expect(local.manager.flags == [] && local.manager.snapshot.reason == .linkDown)
    }

    @Test("A callback on the main queue may set the next state")
    @MainActor
    func callbacksThatSet() async throws {
        let network = network
        let seen = Recorder<NetworkReachabilityStatus>()
        manager.addStatusListener { status in
            seen.record(status)
            if status == .notReachable, seen.values.count < 4 { network.setOnline() }
            if status == .reachableViaWiFi, seen.values.count < 4 { network.setOffline() }
        }
        try manager.startMonitoring()
        await network.flush()
        #expect(
            seen.values == [.notReachable, .reachableViaWiFi, .notReachable, .reachableViaWiFi])
    }

    @Test("Key-path observers see each change, even one that an observation closure makes")
    func observation() async throws {
        let order = Recorder<String>()
        let network = network
        let observation = manager.observe(
            \.isReachable, options: [.initial, .old, .new], queue: queue
        ) { _, change in
            order.record("\(change.oldValue.map { "\($0)" } ?? "-") \(change.newValue ?? false)")
        }
        try manager.startMonitoring()
        await network.flush()
        withObservationTracking {
            _ = manager.networkReachabilityStatus
        } onChange: {
            network.setOffline(.prohibited)
        }
        network.setOnline()
        await network.flush()
        #expect(order.values == ["- false", "false false", "false true", "true false"])
        #expect(manager.snapshot.reason == .prohibited)
        observation.invalidate()
    }

    @Test("A sequence yields the newest value, ends on stop, and throws when the monitor fails")
    func sequences() async throws {
        network.setOnline(over: .vpn)
        var iterator = manager.snapshots.makeAsyncIterator()
        #expect(manager.isMonitoring)
        #expect(try await iterator.next()?.interface?.interfaceClass == .vpn)
        network.setOffline()
        network.setOnline(over: .ppp)
        #expect(try await iterator.next()?.flags == [.reachable, .transientConnection])
        network.fail(.permissionDenied)
        #expect(!manager.isMonitoring && manager.networkReachabilityStatus == .unknown)
        #expect(manager.snapshot.error == .permissionDenied)
        var error: ReachabilityError?
        do { _ = try await iterator.next() } catch let thrown { error = thrown }
        #expect(error?.code == .notPermitted && error?.errno == .permissionDenied)
        #expect(try await iterator.next() == nil)
        var next = manager.statuses.makeAsyncIterator()
        #expect(try await next.next() == .reachableViaWiFi)
        manager.stopMonitoring()
        #expect(try await next.next() == nil)
    }

    @Test("Starts, queries, and sequences throw the error of setStartError(_:)")
    func startErrors() async throws {
        let refusal = ReachabilityError(
            .watchingUnsupported, input: "here", errno: ReachabilityErrno(rawValue: 95), "no")
        network.setStartError(refusal)
        #expect(throws: refusal) { try manager.startMonitoring() }
        #expect(throws: refusal) { try manager.currentSnapshot() }
        var iterator = manager.snapshots.makeAsyncIterator()
        await #expect(throws: refusal) { try await iterator.next() }
        #expect(refusal.description == "no" && refusal.input == "here")
        network.setStartError(nil)
        try manager.startMonitoring()
    }

    @Test("A pending name is reachable as its policy says, and a failed one has its reason")
    func names() async throws {
        for policy in NameResolutionPolicy.allCases {
            let network = try SimulatedReachability(
                target: .domain("www.example.com", policy: policy))
            let manager = network.manager
            try manager.startMonitoring()
            network.setNamePending()
            network.setOnline()
            #expect(manager.isReachable == (policy == .optimistic))
            #expect(manager.snapshot.resolution == .pending)
            #expect(manager.snapshot.reason == (policy == .strict ? .resolving : .reachable))
            #expect(
                manager.networkReachabilityStatus
                    == (policy == .strict ? .unknown : .reachableViaWiFi))
            network.setNameFailed()
            #expect(manager.snapshot.reason == .noSuchName && !manager.isReachable)
            network.setNameResolved(to: [])
            #expect(manager.snapshot.reason == .noAddress)
            let addresses = [try NetworkAddress("2001:db8::1")]
            network.setNameResolved(to: addresses)
            #expect(manager.isReachable && manager.snapshot.addresses == addresses)
            network.setOnline(families: [.ipv4])
            #expect(manager.snapshot.reason == .noRoute && manager.snapshot.addresses == addresses)
        }
    }

    @Test("A name whose resolution failed keeps its addresses, unless it has none any more")
    func failedNames() throws {
        let network = try SimulatedReachability(target: .domain("www.example.com"))
        try network.manager.startMonitoring()
        network.setOnline()
        let resolved = network.manager.snapshot
        #expect(resolved.addresses.map(\.description) == ["192.0.2.1"])
        network.setNameFailed(.noNetwork)
        #expect(network.manager.snapshot.status.isReachable)
        #expect(network.manager.snapshot.resolution == .outdated)
        network.setNameFailed(.resolverFailed)
        #expect(network.manager.snapshot.reason == .resolverFailed)
        #expect(network.manager.snapshot.addresses == resolved.addresses)
        for reason in [ReachabilityReason.noSuchName, .noAddress] {
            network.setNameFailed(reason)
            #expect(network.manager.snapshot.addresses.isEmpty)
            #expect(network.manager.snapshot.reason == reason)
        }
        // Addresses that the name has lost don't come back.
        network.setNameFailed(.resolverFailed)
        #expect(network.manager.snapshot.addresses.isEmpty)
    }

    @Test("Interface classes, families, a required connection, and a whole snapshot are simulated")
    func states() throws {
        let wifi = try SimulatedReachability(target: .internet.with(interfaceClass: .wifi))
        try wifi.manager.startMonitoring()
        wifi.setOnline(over: .wiredEthernet)
        #expect(wifi.manager.snapshot.reason == .otherInterface)
        #expect(wifi.manager.snapshot.interface?.name == "eth0")
        wifi.setConnectionRequired()
        #expect(wifi.manager.flags == [.reachable, .connectionRequired])
        #expect(wifi.manager.networkReachabilityStatus == .notReachable)
        let six = try SimulatedReachability(target: .internet(.ipv6))
        try six.manager.startMonitoring()
        six.setOnline(families: [.ipv4])
        #expect(six.manager.snapshot.reason == .noRoute)
        let whole = ReachabilitySnapshot(flags: [.reachable, .isDirect], reason: .reachable)
        six.setSnapshot(whole)
        #expect(six.manager.snapshot == whole)
    }

    @Test("The simulation and its manager are released with their last reference")
    func released() async throws {
        weak var weakManager: NetworkReachabilityManager?
        weak var weakNetwork: SimulatedReachability?
        do {
            let network = try SimulatedReachability()
            (weakManager, weakNetwork) = (network.manager, network)
            network.manager.addListener(queue: queue) { _ in }
            try network.manager.startMonitoring()
            network.setOnline()
            await network.flush()
        }
        #expect(weakManager == nil && weakNetwork == nil)
    }
}
