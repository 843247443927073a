// SPDX-License-Identifier: MIT

#if Reporting
    internal import CoreMetrics
    internal import Logging
    internal import NetworkReachability

    /// What a reporter has reported last, and where to.
    ///
    /// Used on the queue of the reporter.
    final class Report: Sendable {
        private let name: String
        private let logger: Logger?
        private let status: Meter
        private let changes: Counter
        private let counters: [(meter: Meter, value: @Sendable (MonitorStatistics) -> UInt64)]
        private let latest = Lock<ReachabilitySnapshot?>(nil)

        init(
            of manager: NetworkReachabilityManager, as name: String, logger: Logger?,
            metrics: any MetricsFactory
        ) {
            let target = [("target", name)]
            let namespace = [("namespace", manager.target.namespace.description)]
            self.name = name
            self.logger = logger
            status = Meter(
                label: "network_reachability_status", dimensions: target, factory: metrics)
            changes = Counter(
                label: "network_reachability_changes", dimensions: target, factory: metrics)
            counters = Self.names.map { name, value in
                let label = "network_reachability_monitor_\(name)"
                return (Meter(label: label, dimensions: namespace, factory: metrics), value)
            }
        }

        private static let names: [(name: String, value: @Sendable (MonitorStatistics) -> UInt64)] =
            [
                ("events", { $0.events }), ("lookups", { $0.lookups }),
                ("barriers", { $0.barriers }),
                ("overruns", { $0.overruns }), ("dumps", { $0.dumps }),
                ("malformed", { $0.malformed }), ("spoofed", { $0.spoofed }),
                ("changes", { $0.changes }), ("resolutions", { $0.resolutions }),
                ("wakeups", { $0.wakeups }), ("corrections", { $0.corrections }),
            ]

        func receive(_ snapshot: ReachabilitySnapshot, statistics: MonitorStatistics?) {
            let old = latest.withLock { latest in
                defer { latest = snapshot }
                return latest
            }
            // After a restart the current state comes once more.
            if snapshot != old {
                if old != nil { changes.increment() }
                log(snapshot, after: old?.status ?? .unknown)
            }
            record(isMonitoring: snapshot.status != .unknown, statistics: statistics)
        }

        func record(isMonitoring: Bool, statistics: MonitorStatistics?) {
            let current = latest.withLock { isMonitoring ? $0?.status : nil } ?? .unknown
            status.set(current.rawValue)
            guard let statistics else { return }
            for counter in counters { counter.meter.set(counter.value(statistics)) }
        }

        private func log(_ snapshot: ReachabilitySnapshot, after old: NetworkReachabilityStatus) {
            let (level, message) = Self.entry(snapshot.status, after: old)
            logger?.log(level: level, "\(message)", metadata: metadata(of: snapshot))
        }

        private static func entry(
            _ new: NetworkReachabilityStatus, after old: NetworkReachabilityStatus
        ) -> (Logger.Level, String) {
            switch (old, new) {
            case (_, .unknown): (.error, "monitoring failed")
            case (.unknown, .notReachable): (.warning, "not reachable")
            case (.unknown, _): (.info, "reachable")
            case (_, _) where old == new: (.debug, "the path changed")
            case (_, .notReachable): (.warning, "became unreachable")
            case (.notReachable, _): (.notice, "became reachable")
            default: (.notice, "reachable over another class of interface")
            }
        }

        private func metadata(of snapshot: ReachabilitySnapshot) -> Logger.Metadata {
            let addresses = snapshot.addresses.map(\.description).joined(separator: ",")
            let values: [(key: String, value: String?)] = [
                ("target", name),
                ("status", snapshot.status.description),
                ("flags", snapshot.status == .unknown ? nil : snapshot.flags.words),
                ("interface", snapshot.interface?.name),
                ("interface_class", snapshot.interface?.interfaceClass.description),
                ("source", snapshot.source?.description),
                ("gateway", snapshot.gateway?.description),
                ("addresses", addresses.isEmpty ? nil : addresses),
                ("reason", snapshot.reason == .none ? nil : snapshot.reason.description),
                ("error", snapshot.error?.description),
            ]
            return values.reduce(into: [:]) { metadata, entry in
                if let value = entry.value { metadata["reachability.\(entry.key)"] = "\(value)" }
            }
        }
    }
#endif
