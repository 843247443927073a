// SPDX-License-Identifier: MIT
import Dispatch
import NetworkReachability
import Testing

private let far = "192.0.2.1"

/// Waits of managers, in a namespace with one cable.
@Suite(.needsNamespaces, .timeLimit(.minutes(10)))
struct WaitTests {
    private let lab: Lab
    private let closed = Recorder<Void>()
    private let options: MonitorOptions
    private let manager: NetworkReachabilityManager
    private let seen = Recorder<ReachabilitySnapshot>()

    init() throws {
        lab = try Lab(defaultRoute: false)
        let closed = closed
        options = MonitorOptions(etcRoot: "", onClose: { closed.record(()) })
        manager = try NetworkReachabilityManager(
            target: .domain(far).with(namespace: .path(lab.host.path)), options: options)
    }

    /// Waits until a monitor has closed with its last session, and no event socket is left.
    ///
    /// Each wait may have opened its own monitor. A child that another test is starting has copies
    /// of the sockets until it calls exec.
    private func expectNothingLeft() async {
        await closed.next()
        while lab.host.watchers > 0 { await Task.yield() }
    }

    @Test("A new route ends a wait for reachability, its removal a wait for unreachability")
    func route() async throws {
        // Longer than any timer can run.
        async let reached = manager.wait(timeout: .seconds(Int64.max)) { [seen] snapshot in
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
        #expect(!manager.isMonitoring && manager.snapshot == .unknown)
        await expectNothingLeft()
    }

    @Test(
        "A wait checks the current state before it times out, even with a timeout of zero or less",
        arguments: [Duration.zero, .seconds(-1), .milliseconds(20)])
    func timeout(timeout: Duration) async throws {
        let error = await #expect(throws: ReachabilityError.self) {
            try await manager.waitUntilReachable(timeout: timeout)
        }
        #expect(error?.code == .timedOut && error?.input == far)
        await expectNothingLeft()
        try lab.defaultRoute()
        try await manager.waitUntilReachable(timeout: timeout)
    }

    @Test("Cancellation ends a wait, and a wait in a cancelled task opens no monitor")
    func cancellation() async throws {
        let task = Task {
            try await manager.wait(timeout: .seconds(1000)) { [seen] snapshot in
                seen.record(snapshot)
                return false
            }
        }
        await seen.next()
        task.cancel()
        let error = await #expect(throws: ReachabilityError.self) { try await task.value }
        #expect(error?.code == .cancelled)
        await expectNothingLeft()
        let cancelled = Task {
            unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
            await #expect(throws: ReachabilityError.self) { try await manager.check() }
            try await manager.waitUntilReachable()
        }
        let early = await #expect(throws: ReachabilityError.self) { try await cancelled.value }
        #expect(early?.code == .cancelled)
        await inLoop()
        #expect(closed.values.count == 1)
    }

    @Test("Waits don't disturb monitoring, and stopMonitoring() does not end them")
    func monitoring() async throws {
        let told = Recorder<NetworkReachabilityStatus>()
        let queue = DispatchQueue.test()
        manager.addStatusListener(queue: queue) { told.record($0) }
        async let early = manager.waitUntilReachable()
        try manager.startMonitoring()
        #expect(await told.next() == .notReachable)
        async let late = manager.wait { [seen] snapshot in
            seen.record(snapshot)
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

    @Test(
        "Waits and checks time out until the name is resolved, whatever its policy",
        arguments: [NameResolutionPolicy.strict, .optimistic])
    func resolvedLater(policy: NameResolutionPolicy) async throws {
        try lab.defaultRoute()
        let mayAnswer = DispatchSemaphore(value: 0)
        let options = MonitorOptions(
            etcRoot: "",
            resolver: { _ in
                mayAnswer.wait()
                mayAnswer.signal()
                return [try? NetworkAddress("10.9.0.2")].compactMap(\.self)
            })
        let manager = try NetworkReachabilityManager(
            target: .domain("later.test", policy: policy).with(namespace: .path(lab.host.path)),
            options: options)
        let waits = [manager.waitUntilReachable, manager.waitUntilNotReachable]
        for wait in [manager.check] + waits.map({ wait in { try await wait($0, .zero) } }) {
            let error = await #expect(throws: ReachabilityError.self) { try await wait(.zero) }
            #expect(error?.code == .timedOut)
        }
        async let reached = manager.waitUntilReachable()
        async let checked = manager.check()
        mayAnswer.signal()
        #expect(try await reached.addresses.map(\.description) == ["10.9.0.2"])
        #expect(try await reached.flags.contains(.isDirect))
        #expect(try await checked == reached)
    }
}
