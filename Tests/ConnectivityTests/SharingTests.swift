// SPDX-License-Identifier: MIT
import NetworkReachability
import SwiftTestSupport
import Testing

@testable import ReachabilityConnectivity

@Suite("Monitors with equal probes", .needsNamespaces, .timeLimit(.minutes(10)))
struct SharingTests {
    private let networks: Networks
    private let server: Server

    init() throws {
        networks = try Networks()
        server = try networks.serve(.answer(http(204)))
    }

    private func monitor(
        headers: [String: String] = [:], timeout: Duration = .seconds(3600),
        _ target: ReachabilityTarget? = nil,
        change: (inout ConnectivityOptions) -> Void = { _ in }
    ) throws -> ConnectivityMonitor {
        var options = ConnectivityOptions()
        change(&options)
        return try ConnectivityMonitor(
            target: target ?? networks.target,
            probe: .http("http://10.9.0.2:\(server.port)/", headers: headers, timeout: timeout),
            options: options)
    }

    @Test("Monitors with equal probes share one probe, and each ends on its own")
    func shared() async throws {
        let levels = (0..<3).map { _ in Recorder<ConnectivityLevel>() }
        var monitors = try (0..<3).map { _ in try monitor() }
        let listeners = zip(monitors, levels).map { monitor, levels in
            monitor.addListener(queue: .test()) { levels.record($0.level) }
        }
        for levels in levels { #expect(await levels.next() == .full) }
        #expect(try server.requests.values.count == 1 && monitor().state.level == .full)
        let late = Recorder<ConnectivityLevel>()
        let listener = monitors[2].addListener(queue: .test()) { late.record($0.level) }
        #expect(await late.next() == .full)
        listener.cancel()
        // When a monitor ends, only its own listeners end with it.
        monitors.removeFirst()
        listeners[1].cancel()
        server.behave(.answer(http(500)))
        #expect(await monitors[0].check().level == .limited)
        #expect(await levels[2].next() == .limited)
        #expect(server.requests.values.count == 2)
        #expect(levels[0].values.count == 1 && levels[1].values.count == 1)
        listeners[2].cancel()
        #expect(monitors.allSatisfy { $0.state == .unknown })
        // A new probe runs after the last listener is gone.
        server.behave(.answer(http(204)))
        #expect(await monitors[1].check().level == .full)
        monitors = []
        #expect(try monitor().state == .unknown)
        withExtendedLifetime(listeners) {}
    }

    @Test("Equal probes share a driver, and nothing is left of it after the last one")
    func registry() throws {
        let probe = try ConnectivityProbe.http("http://10.9.0.2:\(server.port)/registry")
        let options = ConnectivityOptions()
        let key = try ConnectivityDriver.Key(
            target: networks.target, probe: #require(probe.identity), options: options)
        func driver() throws -> ConnectivityDriver {
            .shared(
                .init(
                    manager: try NetworkReachabilityManager(target: networks.target),
                    probe: probe, options: options))
        }
        func isRegistered() -> Bool { ConnectivityDriver.registry.withLock { $0[key] != nil } }
        do {
            let (one, other) = (try driver(), try driver())
            #expect(one === other && isRegistered())
        }
        #expect(!isRegistered())
    }

    @Test("A different target, header, timeout, or option makes a separate probe")
    func different() async throws {
        let monitors = [
            try monitor(), try monitor(headers: ["X-A": "b"]), try monitor(timeout: .seconds(3601)),
            try monitor(networks.target.with(family: .ipv4)),
            try monitor { $0.interval = .seconds(301) },
        ]
        for monitor in monitors {
            let state = monitor.states
            var iterator = state.makeAsyncIterator()
            #expect(await iterator.next()?.level == .full)
        }
        var iterators = monitors.map { $0.states.makeAsyncIterator() }
        for index in iterators.indices { _ = await iterators[index].next() }
        #expect(server.requests.values.count == 2 * monitors.count)
    }
}
