// SPDX-License-Identifier: MIT

#if Reporting
    import Logging
    import MetricsTestKit
    import NetworkReachabilityReporting
    import Testing

    @testable import NetworkReachability

    @Suite("The reporter", .timeLimit(.minutes(10)))
    struct ReporterTests {
        let entries = Recorder<LogEvent>()
        let logger: Logger
        let metrics = TestMetrics()

        init() {
            let handler = Handler(entries: entries)
            logger = Logger(label: "test", factory: { _ in handler })
        }

        /// Lets a test wait for entries.
        struct Handler: LogHandler {
            let entries: Recorder<LogEvent>
            var metadata: Logger.Metadata = [:]
            var logLevel = Logger.Level.trace

            func log(event: LogEvent) { entries.record(event) }

            subscript(metadataKey key: String) -> Logger.MetadataValue? {
                get { metadata[key] }
                set { metadata[key] = newValue }
            }
        }

        func meter(_ name: String, _ dimension: (String, String)) throws -> Double? {
            try metrics.expectMeter("network_reachability_\(name)", [dimension]).lastValue
        }

        @Test("a cable is pulled and plugged", .needsNamespaces)
        func cable() async throws {
            let cable = try Cable()
            let reporter = ReachabilityReporter(
                cable.manager, name: "cloud", logger: logger, metrics: metrics)
            reporter.recordMetrics()
            #expect(try meter("status", ("target", "cloud")) == -1)
            try cable.manager.startMonitoring()
            let first = try #require(await entries.next())
            #expect(first.level == .info)
            #expect(
                first.metadata == [
                    "reachability.target": "cloud", "reachability.status": "reachableViaWiFi",
                    "reachability.flags": "Reachable", "reachability.interface": "eth0",
                    "reachability.interface_class": "virtual",
                    "reachability.source": "10.9.0.1", "reachability.gateway": "10.9.0.2",
                ])
            reporter.recordMetrics()
            #expect(try meter("status", ("target", "cloud")) == 2)
            let namespace = ("namespace", cable.namespace.path)
            let lookups = try #require(try meter("monitor_lookups", namespace))
            #expect(lookups > 0)
            for counter in Mirror(reflecting: MonitorStatistics()).children {
                let name = "monitor_\(try #require(counter.label))"
                #expect(try meter(name, namespace) != nil)
            }

            try cable.namespace.setCarrier(false)
            let pulled = try #require(await entries.next())
            #expect(pulled.level == .warning)
            #expect(pulled.metadata?["reachability.reason"] == "linkDown")
            reporter.recordMetrics()
            #expect(try meter("status", ("target", "cloud")) == 0)
            #expect(try #require(try meter("monitor_lookups", namespace)) > lookups)

            try cable.namespace.setCarrier(true)
            #expect(await entries.first { $0.level != .debug }?.level == .notice)
            cable.manager.stopMonitoring()
            reporter.recordMetrics()
            #expect(try meter("status", ("target", "cloud")) == -1)
            #expect(metrics.meters(label: "network_reachability_monitor_overruns").count == 1)
        }

        @Test("levels, and what counts as a change")
        func levels() async throws {
            let manager = NetworkReachabilityManager()
            let reporter = ReachabilityReporter(manager, logger: logger, metrics: metrics)
            let session = manager.startSession()
            let wwan: ReachabilityFlags = [.reachable, .isWWAN]
            for flags: ReachabilityFlags in [[], .reachable, [.reachable, .isDirect], wwan, []] {
                await session.report(flags)
            }
            await inLoop { session.fail(.outOfMemory) }
            var levels: [Logger.Level] = []
            while levels.count < 6, let entry = await entries.next() { levels.append(entry.level) }
            #expect(levels == [.warning, .notice, .debug, .notice, .warning, .error])
            reporter.recordMetrics()
            let changes = try metrics.expectCounter(
                "network_reachability_changes", [("target", "internet")])
            #expect(changes.totalValue == 5)
            #expect(try meter("status", ("target", "internet")) == -1)
            let error = entries.values.last?.metadata?["reachability.error"]
            #expect(error == "\(ReachabilityErrno.outOfMemory)")
        }

        @Test("the state after a restart is no change, and a released reporter reports nothing")
        func restart() async throws {
            let manager = NetworkReachabilityManager()
            var reporter: ReachabilityReporter? = ReachabilityReporter(
                manager, logger: logger, metrics: metrics)
            await manager.startSession().report(.reachable)
            await entries.next()
            let session = manager.startSession()
            await session.report(.reachable)
            await session.report([])
            #expect(await entries.next()?.level == .warning)
            reporter = nil
            await session.report(.reachable)
            _ = consume reporter
            await inLoop()
            #expect(entries.values.count == 2)
            #expect(metrics.counterTotal(label: "network_reachability_changes") == 1)
        }
    }
#endif
