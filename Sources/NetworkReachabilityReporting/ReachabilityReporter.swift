// SPDX-License-Identifier: MIT

#if Reporting
    public import CoreMetrics
    internal import Dispatch
    public import Logging
    public import NetworkReachability

    /// Logs the changes of a target with swift-log, and records them with swift-metrics.
    ///
    ///     let reporter = ReachabilityReporter(manager, logger: logger)
    ///     try manager.startMonitoring()
    ///     // Before the metrics are read, by a timer or the handler of /metrics:
    ///     reporter.recordMetrics()
    ///
    /// The first state is logged as `info`, or as `warning` if the target is not reachable; later ones as
    /// `warning` when the target becomes unreachable, as `notice` when it becomes reachable or the status
    /// changes otherwise, as `debug` when only the path changes, and as `error` when monitoring fails. The
    /// keys of the metadata begin with `reachability.`.
    ///
    /// | metric | kind | value | dimension |
    /// |---|---|---|---|
    /// | `network_reachability_status` | meter | `rawValue` of the status: -1 unknown or not monitored, 0 not reachable, 1 over a cellular interface, 2 over another | `target` |
    /// | `network_reachability_changes` | counter | changes of the state, as of the status, interface, gateway or addresses | `target` |
    /// | `network_reachability_monitor_events`, `_lookups`, `_overruns` … | meter | the property of `MonitorStatistics` with that name | `namespace` |
    ///
    /// The counters of the monitor are meters since the reporters of all managers that share it record the
    /// same values.
    public final class ReachabilityReporter: Sendable {
        private let manager: NetworkReachabilityManager
        private let queue: DispatchQueue
        private let report: Report
        private let listener: NetworkReachabilityListener

        /// Reports on the target of `manager` until ``cancel()`` or until the reporter is released.
        ///
        /// - Parameters:
        ///   - manager: To be started by the caller.
        ///   - name: The name of the target in logs and metrics; by default its description.
        ///   - logger: Nil for no log.
        ///   - metrics: Where the metrics are created.
        public init(
            _ manager: NetworkReachabilityManager, name: String? = nil, logger: Logger?,
            metrics: any MetricsFactory = MetricsSystem.factory
        ) {
            let queue = DispatchQueue(label: "NetworkReachability.reporter")
            let report = Report(
                of: manager, as: name ?? manager.target.description, logger: logger,
                metrics: metrics)
            self.manager = manager
            self.queue = queue
            self.report = report
            listener = manager.addListener(queue: queue) { [weak manager] snapshot in
                report.receive(snapshot, statistics: manager?.statistics)
            }
        }

        deinit {
            cancel()
        }

        /// Records all metrics as they are now; without this the counters of the monitor are recorded at each
        /// change only.
        ///
        /// For a timer, or a handler that answers a metrics server. Can be called from any thread, but not by
        /// a log handler or a metrics factory of this reporter.
        public func recordMetrics() {
            let isMonitoring = manager.isMonitoring
            let statistics = manager.statistics
            queue.sync { report.record(isMonitoring: isMonitoring, statistics: statistics) }
        }

        /// Ends the reports; one may still be running or about to run.
        ///
        /// The metrics keep their values.
        public func cancel() {
            listener.cancel()
        }
    }
#else
    /// Part of the package with its trait only.
    @available(*, unavailable, message: "enable the trait Reporting of the package")
    public typealias ReachabilityReporter = Never
#endif
