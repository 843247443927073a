// SPDX-License-Identifier: MIT
import Dispatch
import NetworkReachability
import SwiftTestSupport
import Testing

@testable import ReachabilityConnectivity

@Suite("Waiting for connectivity", .needsNamespaces, .timeLimit(.minutes(10)))
struct WaitTests {
    private let networks: Networks

    init() throws {
        networks = try Networks()
    }

    private func monitor(_ server: Server) throws -> ConnectivityMonitor {
        var options = ConnectivityOptions()
        options.debounceInterval = .milliseconds(20)
        options.retryInterval = .milliseconds(10)
        return try ConnectivityMonitor(
            target: networks.target,
            probe: .patient("http://192.0.2.1:\(server.port)/"),
            options: options)
    }

    @Test("A wait ends when the server answers as expected, at once if it already does")
    func reached() async throws {
        let server = try networks.serve(.answer(http(500)))
        let monitor = try monitor(server)
        async let state = monitor.waitUntilConnected()
        _ = await server.requests.next()
        _ = await server.requests.next()
        server.behave(.answer(http(204)))
        #expect(try await state.level == .full)
        #expect(try await state.snapshot.interface?.name == "eth0")
        // The wait does not listen any more.
        #expect(monitor.state == .unknown)
        #expect(try await monitor.waitUntilConnected(timeout: .seconds(3600)).level == .full)
        let portal = try await monitor.wait { $0.level != .unknown }
        #expect(portal.level == .full)
    }

    @Test("A wait throws when it times out or its task is cancelled")
    func ended() async throws {
        let server = try networks.serve(.hang)
        let monitor = try monitor(server)
        let late = await #expect(throws: ReachabilityError.self) {
            try await monitor.waitUntilConnected(timeout: .milliseconds(20))
        }
        #expect(late?.code == .timedOut)
        let task = Task { try await monitor.waitUntilConnected() }
        _ = await server.requests.next()
        task.cancel()
        let cancelled = await #expect(throws: ReachabilityError.self) { try await task.value }
        #expect(cancelled?.code == .cancelled)
        // The running probe is cancelled.
        _ = await server.ended.next()
        let cancelledBefore = Task {
            unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
            return try await monitor.waitUntilConnected()
        }
        let early = await #expect(throws: ReachabilityError.self) {
            try await cancelledBefore.value
        }
        #expect(early?.code == .cancelled && monitor.state == .unknown)
    }

    /// A monitor whose listener has been told that the server answers as expected.
    private func connected(
        to server: Server
    ) async throws -> (ConnectivityMonitor, Recorder<ConnectivityState>, ReachabilityListener) {
        let monitor = try monitor(server)
        let states = Recorder<ConnectivityState>()
        let listener = monitor.addListener(queue: .test()) { states.record($0) }
        #expect(await states.first { $0.level == .full } != nil)
        return (monitor, states, listener)
    }

    @Test("An answer over the previous path does not end a wait")
    func earlierPath() async throws {
        let server = try networks.serve(.answer(http(204)))
        let (monitor, states, listener) = try await connected(to: server)
        server.behave(.hang)
        try networks.host.ip("addr add 10.9.0.77/24 dev eth0")
        try networks.host.ip("route change default via 10.9.0.2 metric 1 src 10.9.0.77")
        #expect(await states.first { $0.isChecking } != nil)
        let error = await #expect(throws: ReachabilityError.self) {
            try await monitor.waitUntilConnected(timeout: .milliseconds(20))
        }
        #expect(error?.code == .timedOut)
        listener.cancel()
    }

    @Test("With stable, a wait ends only when the answer has lasted")
    func stable() async throws {
        let server = try networks.serve(.answer(http(204)))
        let (monitor, _, listener) = try await connected(to: server)
        // The answer has arrived, so only the stable time is missing.
        let error = await #expect(throws: ReachabilityError.self) {
            try await monitor.waitUntilConnected(timeout: .milliseconds(20), stable: .seconds(3600))
        }
        #expect(error?.code == .timedOut)
        #expect(try await monitor.waitUntilConnected(stable: .milliseconds(1)).level == .full)
        listener.cancel()
    }

    @Test("Stable listeners and sequences get only states that last")
    func stabilizer() async throws {
        let server = try networks.serve(.answer(http(204)))
        let monitor = try monitor(server)
        let (all, short, long) = (
            Recorder<ConnectivityState>(), Recorder<ConnectivityState>(),
            Recorder<ConnectivityState>()
        )
        var listeners = [
            monitor.addListener(queue: .test("all")) { all.record($0) },
            monitor.addListener(queue: .test("short"), stable: .milliseconds(1)) {
                short.record($0)
            },
        ]
        let queue = DispatchQueue.test("long")
        listeners.append(
            monitor.addListener(queue: queue, stable: .seconds(3600)) { long.record($0) })
        var states = monitor.states.stable(for: .milliseconds(1)).makeAsyncIterator()
        #expect(await states.next()?.level == .full)
        for recorder in [all, short, long] {
            #expect(await recorder.first { $0.level == .full } != nil)
        }
        try networks.setFirst(false)
        #expect(await all.first { $0.level == .limited } != nil)
        #expect(await short.first { $0.level == .limited } != nil)
        while let state = await states.next(), state.level != .limited {}
        await perform(on: queue)
        #expect(long.values.map(\.level) == [.full])
        for listener in listeners { listener.cancel() }
    }
}
