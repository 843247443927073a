// SPDX-License-Identifier: MIT
import Logging
import MetricsTestKit
import NetworkReachability
import NetworkReachabilityTesting
import Testing

@testable import Recipes

@Suite("The reporter", .timeLimit(.minutes(10)))
struct ReporterTests {
    /// Lets a test wait for entries.
    struct Handler: LogHandler {
        let entries: AsyncStream<LogEvent>.Continuation
        var metadata: Logger.Metadata = [:]
        var logLevel = Logger.Level.trace

        func log(event: LogEvent) { entries.yield(event) }

        subscript(metadataKey key: String) -> Logger.MetadataValue? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }
    }

    @Test("Changes of the network are logged with level and metadata, and recorded as metrics")
    func levels() async throws {
        let network = try SimulatedReachability()
        let metrics = TestMetrics()
        let (entries, continuation) = AsyncStream<LogEvent>.makeStream()
        let logger = Logger(label: "test", factory: { _ in Handler(entries: continuation) })
        let reporter = ReachabilityReporter(
            network.manager, name: "uplink", logger: logger, metrics: metrics)
        let status = try metrics.expectMeter("network_reachability_status", [("target", "uplink")])
        #expect(status.lastValue == -1)

        let task = Task { try await reporter.run() }
        var iterator = entries.makeAsyncIterator()
        let first = await iterator.next()
        #expect(first?.level == .warning)
        #expect(first?.metadata?["reason"] == "noRoute")
        #expect(status.lastValue == 0)

        network.setOnline(interface: "wlan0", gateway: try NetworkAddress("192.0.2.254"))
        let second = await iterator.next()
        #expect(second?.level == .notice)
        #expect(second?.metadata?["target"] == "uplink")
        #expect(second?.metadata?["interface"] == "wlan0")
        #expect(second?.metadata?["gateway"] == "192.0.2.254")
        #expect(second?.metadata?["flags"] == "Reachable")
        #expect(status.lastValue == 2)

        network.setOnline(interface: "wlan0", gateway: try NetworkAddress("192.0.2.253"))
        #expect(await iterator.next()?.level == .debug)
        network.fail()
        #expect(await iterator.next()?.level == .error)
        await #expect(throws: ReachabilityError.self) { try await task.value }
        #expect(status.lastValue == -1)
        #expect(metrics.counterTotal(label: "network_reachability_changes") == 2)
    }
}
