// SPDX-License-Identifier: MIT
import Foundation
import NetworkReachability
import SwiftTestSupport
import Synchronization
import Testing

@testable import ReachabilityConnectivity

@Suite("Connectivity monitors", .needsNamespaces, .timeLimit(.minutes(10)))
struct MonitorTests {
    private let networks: Networks

    init() throws {
        networks = try Networks()
    }

    private func monitor(
        _ probe: ConnectivityProbe, change: (inout ConnectivityOptions) -> Void = { _ in }
    ) throws -> ConnectivityMonitor {
        var options = ConnectivityOptions()
        options.debounceInterval = .milliseconds(20)
        change(&options)
        return try ConnectivityMonitor(target: networks.target, probe: probe, options: options)
    }

    private func probe(_ server: Server) throws -> ConnectivityProbe {
        try .patient("http://192.0.2.1:\(server.port)/")
    }

    @Test("The states begin with the first level, and each new level is a state")
    func states() async throws {
        let server = try networks.serve(.answer(http(204)))
        let monitor = try monitor(probe(server)) {
            $0.interval = .milliseconds(20)
            $0.retryInterval = .milliseconds(10)
        }
        #expect(monitor.state == .unknown)
        var states = monitor.states.makeAsyncIterator()
        let first = await states.next()
        #expect(first?.level == .full && first?.snapshot.interface?.name == "eth0")
        #expect(monitor.state == first)
        server.behave(.answer(http(302, headers: ["Location: http://portal.example/"])))
        #expect(await states.next()?.level == .portal(url: "http://portal.example/"))
        server.behave(.answer(http(500)))
        #expect(await states.next()?.level == .limited)
        server.behave(.answer(http(204)))
        #expect(await states.next()?.level == .full)
    }

    @Test("Each probe is reported with its times, even if the level stays the same")
    func probes() async throws {
        let server = try networks.serve(.answer(http(204)))
        let monitor = try monitor(probe(server)) {
            $0.interval = .milliseconds(20)
            $0.retryInterval = .milliseconds(10)
        }
        var probes = monitor.probes.makeAsyncIterator()
        for _ in 0..<2 {
            let probe = await probes.next()
            #expect(probe?.level == .full && probe?.failure == nil)
            #expect(probe?.phases.count == 3)
            let inPhases = probe?.phases.values.reduce(.zero, +) ?? .zero
            #expect(inPhases > .zero && inPhases <= probe?.duration ?? .zero)
        }
        server.behave(.answer(http(500)))
        while let probe = await probes.next(), probe.level == .full {}
        let failed = await probes.next()
        #expect(failed?.level == .limited && failed?.failure?.status == 500)
        #expect(monitor.state.level == .limited)
    }

    @Test("A probe that times out is reported, and one that a new path cancels is not")
    func probesWithoutAnswer() async throws {
        let slow = try monitor(.custom(timeout: .milliseconds(20)) { await Self.hang($0) })
        var ended = slow.probes.makeAsyncIterator()
        let late = await ended.next()
        #expect(late?.failure?.code == .timedOut && late?.phases == [:])
        #expect(late?.duration ?? .zero >= .milliseconds(20))
        let begun = Recorder<String>()
        let monitor = try monitor(
            .custom(timeout: .seconds(3600)) { snapshot in
                let gateway = snapshot.gateway?.description ?? "none"
                begun.record(gateway)
                return gateway == "10.9.0.2" ? await Self.hang(snapshot) : .full
            })
        let reports = Recorder<ConnectivityLevel>()
        let task = Task {
            for await probe in monitor.probes { reports.record(probe.level) }
        }
        #expect(await begun.next() == "10.9.0.2")
        try networks.host.ip("route replace default via 10.9.0.3 metric 1")
        #expect(await reports.next() == .full)
        task.cancel()
        await task.value
    }

    /// Waits until the task is cancelled.
    private static func hang(_ snapshot: ReachabilitySnapshot) async -> ConnectivityLevel {
        while !Task.isCancelled { try? await Task.sleep(for: .seconds(3600)) }
        return .limited
    }

    @Test("A second listener gets the current state without a new probe")
    func listeners() async throws {
        let server = try networks.serve(.answer(http(204)))
        let monitor = try monitor(probe(server))
        let (one, two) = (Recorder<ConnectivityLevel>(), Recorder<ConnectivityLevel>())
        let first = monitor.addListener(queue: .test()) { one.record($0.level) }
        #expect(await one.next() == .full)
        let second = monitor.addListener(queue: .test()) { two.record($0.level) }
        #expect(await two.next() == .full)
        #expect(server.requests.values.count == 1)
        first.cancel()
        #expect(monitor.state.level == .full)
        second.cancel()
        second.cancel()
        #expect(monitor.state == .unknown)
    }

    @Test("Without listeners nothing is sent, and a running probe is cancelled")
    func nobody() async throws {
        let server = try networks.serve(.hang)
        let monitor = try monitor(probe(server)) { $0.retryInterval = .milliseconds(10) }
        try networks.host.ip("route change default via 10.9.0.2 metric 1 src 10.9.0.1")
        let listener = monitor.addListener { _ in }
        _ = await server.requests.next()
        listener.cancel()
        _ = await server.ended.next()
        try networks.host.ip("link set eth1 down")
        // The server gets two requests: one for the listener, and one for this check.
        server.behave(.answer(http(204)))
        #expect(await monitor.check().level == .full)
        #expect(server.requests.values.count == 2)
        // Nor is a path or an interface watched.
        let namespace = networks.target.namespace
        try await eventually { try NetworkHost.statistics(in: namespace) == nil }
    }

    @Test("A check during which the path changes has the answer over the new path")
    func checkOfChange() async throws {
        let first = try networks.serve(.answer(http(204)), port: 8080)
        try networks.serve(.answer(http(204)), in: networks.second, port: 8080)
        let monitor = try monitor(probe(first))
        let levels = Recorder<ConnectivityState>()
        let listener = monitor.addListener(queue: .test()) { levels.record($0) }
        #expect(await levels.next()?.level == .full)
        first.behave(.hang)
        let check = Task { await monitor.check() }
        _ = await first.requests.first { _ in first.requests.values.count == 2 }
        try networks.setFirst(false)
        let state = await check.value
        #expect(state.level == .full && !state.isChecking)
        #expect(state.snapshot.interface?.name == "eth1")
        listener.cancel()
    }

    @Test("Without a route the level is local, without an interface none, and nothing is sent")
    func offline() async throws {
        let server = try networks.serve(.answer(http(204)))
        for family in ["-4", "-6"] { try networks.host.ip("\(family) route flush default") }
        let monitor = try monitor(probe(server))
        var states = monitor.states.makeAsyncIterator()
        #expect(await states.next()?.level == .local)
        #expect(await monitor.check().level == .local)
        try networks.host.batch(["link set eth0 down", "link set eth1 down"])
        var last = await states.next()
        while let state = last, state.level != ConnectivityLevel.noNetwork {
            last = await states.next()
        }
        #expect(last?.snapshot.reason != ReachabilityReason.reachable)
        #expect(server.requests.values.isEmpty)
    }

    @Test("A check needs no listener, and ends when its task is cancelled")
    func check() async throws {
        let server = try networks.serve(.answer(http(204)))
        let monitor = try monitor(probe(server))
        for _ in 0..<3 { #expect(await monitor.check().level == .full) }
        #expect(server.requests.values.count == 3)
        server.behave(.hang)
        let task = Task { await monitor.check() }
        _ = await server.requests.first { _ in server.requests.values.count == 4 }
        task.cancel()
        #expect(await task.value.failure?.code == .cancelled)
        _ = await server.ended.next()
    }

    @Test("A probe's closure that does not return is cancelled by its timeout or a new path")
    func custom() async throws {
        let late = try await monitor(
            .custom(timeout: .milliseconds(50)) { _ in
                try? await Task.sleep(for: .seconds(3600))
                return .full
            }
        ).check()
        #expect(late.level == .limited && late.failure?.code == .timedOut)
        let calls = Recorder<String>()
        let silent = try monitor(
            .custom(timeout: .seconds(3600)) { _ in
                calls.record("asked")
                try? await Task.sleep(for: .seconds(3600))
                calls.record("cancelled \(Task.isCancelled)")
                return .full
            })
        let listener = silent.addListener { _ in }
        #expect(await calls.next() == "asked")
        try networks.setFirst(false)
        #expect(await calls.next() == "cancelled true")
        #expect(await calls.next() == "asked")
        listener.cancel()
        #expect(await calls.next() == "cancelled true")
    }

    @Test("The state has the level that a closure returns, without an invalid portal URL")
    func levels() async throws {
        for level in [
            ConnectivityLevel.full, .limited, .portal(url: "http://x/"), .local, .noNetwork,
        ] {
            let monitor = try monitor(.custom(timeout: .seconds(3600)) { _ in level })
            #expect(await monitor.check().level == level)
        }
        for url in ["x", "javascript:alert(1)", "file:///etc/passwd", "http:x", "HTTPS://"] {
            let monitor = try monitor(.custom(timeout: .seconds(3600)) { _ in .portal(url: url) })
            #expect(await monitor.check().level == .portal(url: nil))
        }
    }

    @Test("A missing namespace is a failure that names it")
    func noNamespace() async throws {
        let target = ReachabilityTarget.internet.with(namespace: .named("gone"))
        let monitor = try ConnectivityMonitor(
            target: target, probe: .patient("http://192.0.2.1/"))
        let state = await monitor.check()
        #expect(state.level == .unknown && state.failure?.code == .notMonitored)
        #expect(state.failure?.description.contains("gone") == true)
    }
}
