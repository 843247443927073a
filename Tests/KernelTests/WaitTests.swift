// SPDX-License-Identifier: MIT
import Dispatch
import NetworkReachability
import Synchronization
import Testing

private let far = "192.0.2.1"

/// Waits of managers, in a namespace with one cable.
@Suite(.needsNamespaces, .timeLimit(.minutes(10)))
struct WaitTests {
    private let lab: Lab
    private let closed = Recorder<Void>()
    private let options: MonitorOptions

    init() throws {
        lab = try Lab(defaultRoute: false)
        let closed = closed
        options = MonitorOptions(etcRoot: "", onClose: { closed.record(()) })
    }

    private func manager(
        _ target: String = far, _ options: MonitorOptions? = nil
    ) throws -> NetworkReachabilityManager {
        try NetworkReachabilityManager(
            target: .domain(target).with(namespace: .path(lab.host.path)),
            options: options ?? self.options)
    }

    /// Waits until a monitor has closed with its last session, and no event socket is left.
    ///
    /// Each wait may have opened its own monitor. A child that another test is starting has copies
    /// of the sockets until it calls exec.
    private func expectNothingLeft() async {
        await closed.next()
        while lab.host.watchers > 0 { await Task.yield() }
    }

    @Test("A wait for a reachable target returns at once and leaves no event socket")
    func atOnce() async throws {
        try lab.defaultRoute()
        let manager = try manager()
        let snapshot = try await manager.waitUntilReachable()
        let route = try #require(try lab.routeGet(far))
        #expect(snapshot.interface?.name == route.interface)
        #expect(snapshot.gateway?.description == route.gateway)
        #expect(!manager.isMonitoring && manager.snapshot == .unknown)
        await expectNothingLeft()
    }

    @Test("A new route ends a wait for reachability, its removal a wait for unreachability")
    func route() async throws {
        let manager = try manager()
        let seen = Recorder<ReachabilitySnapshot>()
        // Longer than any timer can run.
        async let reached = manager.wait(timeout: .seconds(Int64.max)) { snapshot in
            seen.record(snapshot)
            return snapshot.status.isReachable
        }
        #expect(await seen.next()?.reason == .noRoute)
        #expect(try lab.routeGet(far) == nil)
        try lab.defaultRoute()
        #expect(try await reached.source?.description == lab.routeGet(far)?.source)
        async let lost = manager.waitUntilNotReachable(timeout: .seconds(100))
        try lab.host.ip("route del default")
        #expect(try await lost.reason == .noRoute)
        await expectNothingLeft()
    }

    @Test(
        "A wait checks the current state before it times out, even with a timeout of zero or less",
        arguments: [Duration.zero, .seconds(-1), .milliseconds(20)])
    func timeout(timeout: Duration) async throws {
        let manager = try manager()
        let error = await #expect(throws: ReachabilityError.self) {
            try await manager.waitUntilReachable(timeout: timeout)
        }
        #expect(error?.code == .timedOut && error?.input == far)
        await expectNothingLeft()
        try lab.defaultRoute()
        try await manager.waitUntilReachable(timeout: timeout)
    }

    @Test("Cancellation ends a wait")
    func cancellation() async throws {
        let manager = try manager()
        let seen = Recorder<Void>()
        let task = Task {
            try await manager.wait(timeout: .seconds(1000)) { _ in
                seen.record(())
                return false
            }
        }
        await seen.next()
        task.cancel()
        let error = await #expect(throws: ReachabilityError.self) { try await task.value }
        #expect(error?.code == .cancelled)
        await expectNothingLeft()
    }

    @Test("A wait in a cancelled task throws and opens no monitor")
    func cancelledBefore() async throws {
        try lab.defaultRoute()
        let manager = try manager()
        let task = Task {
            unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
            #expect(lab.host.watchers == 0)
            await #expect(throws: ReachabilityError.self) { try await manager.check() }
            try await manager.waitUntilReachable()
        }
        let error = await #expect(throws: ReachabilityError.self) { try await task.value }
        #expect(error?.code == .cancelled)
        await inLoop()
        #expect(closed.values.isEmpty)
    }

    @Test("An error of the monitor ends the wait with that error")
    func failure() async throws {
        let isBroken = Atomic(false)
        let manager = try manager(
            far,
            MonitorOptions(
                etcRoot: "",
                fault: {
                    isBroken.load(ordering: .acquiring) ? ReachabilityErrno(rawValue: 5) : nil
                }))
        let seen = Recorder<Void>()
        async let reached = manager.wait { _ in
            seen.record(())
            return false
        }
        await seen.next()
        isBroken.store(true, ordering: .releasing)
        try lab.defaultRoute()
        do {
            _ = try await reached
            Issue.record("a monitor that failed")
        } catch {
            #expect((error as? ReachabilityError)?.errno?.rawValue == 5)
        }
    }

    @Test("A wait or check in a missing namespace throws at once")
    func noNamespace() async throws {
        let manager = try NetworkReachabilityManager(
            target: .domain(far).with(namespace: .path("/nonexistent")))
        let until = manager.waitUntilReachable(timeout:stable:)
        for wait in [manager.check, { try await until($0, .zero) }] {
            let error = await #expect(throws: ReachabilityError.self) { try await wait(nil) }
            #expect(error?.code == .namespaceNotFound)
        }
    }

    @Test("Waits don't disturb monitoring, and stopMonitoring() does not end them")
    func monitoring() async throws {
        let manager = try manager()
        let told = Recorder<NetworkReachabilityStatus>()
        let queue = DispatchQueue.test()
        manager.addStatusListener(queue: queue) { told.record($0) }
        async let early = manager.waitUntilReachable()
        try manager.startMonitoring()
        #expect(await told.next() == .notReachable)
        let seen = Recorder<Void>()
        async let late = manager.wait { snapshot in
            seen.record(())
            return snapshot.status.isReachable
        }
        await seen.next()
        manager.stopMonitoring()
        try lab.defaultRoute()
        #expect(try await early == late)
        await perform(on: queue)
        #expect(told.values == [.notReachable])
        await expectNothingLeft()
    }

    @Test("A new default route ends 200 concurrent waits")
    func many() async throws {
        let manager = try manager()
        try await withThrowingTaskGroup { group in
            for _ in 0..<200 { group.addTask { try await manager.waitUntilReachable() } }
            try lab.defaultRoute()
            for try await snapshot in group { #expect(snapshot.gateway != nil) }
        }
        await expectNothingLeft()
    }
}

/// A resolver that answers once `answer()` is called.
private final class Resolver: Sendable {
    private let gate = DispatchSemaphore(value: 0)
    private let addresses: [NetworkAddress]

    init(_ addresses: String...) throws {
        self.addresses = try addresses.map { try NetworkAddress($0) }
    }

    func answer() {
        gate.signal()
    }

    func manager(
        _ lab: Lab, policy: NameResolutionPolicy = .strict, family: NetworkAddress.Family? = nil
    ) throws -> NetworkReachabilityManager {
        let options = MonitorOptions(
            etcRoot: "",
            resolver: { [self] _ in
                gate.wait()
                gate.signal()
                return addresses
            })
        let target = try ReachabilityTarget.domain("later.test", policy: policy)
        return try NetworkReachabilityManager(
            target: target.with(family: family).with(namespace: .path(lab.host.path)),
            options: options)
    }
}

@Suite(.needsNamespaces, .timeLimit(.minutes(10)))
struct NameWaitTests {
    @Test(
        "Waits and checks time out until the name is resolved, whatever its policy",
        arguments: [NameResolutionPolicy.strict, .optimistic])
    func resolvedLater(policy: NameResolutionPolicy) async throws {
        let lab = try Lab()
        let resolver = try Resolver("10.9.0.2")
        let manager = try resolver.manager(lab, policy: policy)
        let waits = [manager.waitUntilReachable, manager.waitUntilNotReachable]
        for wait in [manager.check] + waits.map({ wait in { try await wait($0, .zero) } }) {
            let error = await #expect(throws: ReachabilityError.self) { try await wait(.zero) }
            #expect(error?.code == .timedOut)
        }
        async let reached = manager.waitUntilReachable()
        async let checked = manager.check()
        resolver.answer()
        #expect(try await reached.addresses.map(\.description) == ["10.9.0.2"])
        #expect(try await reached.flags.contains(.isDirect))
        #expect(try await checked == reached)
    }

    @Test("A check of a name without addresses reports the reason noAddress")
    func unresolved() async throws {
        let resolver = try Resolver()
        resolver.answer()
        let lab = try Lab()
        let snapshot = try await resolver.manager(lab).check()
        #expect(snapshot.resolution == .done && snapshot.reason == .noAddress)
    }

    @Test("A target limited to one family uses only that family's addresses of its name")
    func family() async throws {
        let lab = try Lab()
        let resolver = try Resolver("192.0.2.1", "2001:db8:ffff::1")
        resolver.answer()
        try lab.host.ip("route del default")
        let six = try resolver.manager(lab, family: .ipv6)
        #expect(
            try await six.waitUntilReachable().addresses.map(\.description)
                == ["2001:db8:ffff::1"])
        let four = try resolver.manager(lab, family: .ipv4)
        #expect(try await four.waitUntilNotReachable().addresses.map(\.description) == [far])
        async let reached = four.waitUntilReachable()
        try lab.host.ip("route add default via 10.9.0.2")
        #expect(try await reached.gateway?.description == lab.routeGet(far)?.gateway)
    }

    @Test("The internet of one family depends on that family's routes alone")
    func internet() async throws {
        let lab = try Lab(defaultRoute: false)
        let managers = try [NetworkAddress.Family.ipv4, .ipv6].map { family in
            try NetworkReachabilityManager(
                target: .internet.with(family: family).with(namespace: .path(lab.host.path)))
        }
        try lab.host.ip("-6 route add default via 2001:db8:9::2")
        #expect(try managers[1].currentSnapshot().gateway?.description == "2001:db8:9::2")
        #expect(try managers[0].currentSnapshot().reason == .noRoute)
        try await managers[1].waitUntilReachable()
        async let reached = managers[0].waitUntilReachable()
        try lab.host.ip("-6 route del default")
        try lab.host.ip("route add default via 10.9.0.2")
        #expect(try await reached.gateway?.description == "10.9.0.2")
        #expect(try await managers[1].waitUntilNotReachable().reason == .noRoute)
        #expect(try managers[0].currentSnapshot().status.isReachable)
        #expect(try managers[1].currentSnapshot().reason == .noRoute)
    }
}
