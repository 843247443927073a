// SPDX-License-Identifier: MIT

#if ServiceLifecycle
    public import NetworkReachability
    public import ServiceLifecycle

    /// Monitors a target while a `ServiceGroup` runs.
    ///
    ///     let service = ReachabilityService(manager) { snapshot in
    ///         logger.info("\(snapshot)")
    ///     }
    ///     try await ServiceGroup(services: [service, server], logger: logger).run()
    public struct ReachabilityService: Service {
        private let manager: NetworkReachabilityManager
        private let onChange: @Sendable (ReachabilitySnapshot) async throws -> Void

        /// Creates a service that monitors the target of `manager`.
        ///
        /// - Parameters:
        ///   - manager: Its properties and callbacks can be used at the same time.
        ///   - onChange: Gets the current state first, then each change, one call at a time. A slow handler
        ///     may miss states in between, never the latest. Its error ends ``run()``.
        public init(
            _ manager: NetworkReachabilityManager,
            onChange: @escaping @Sendable (_ snapshot: ReachabilitySnapshot) async throws -> Void
        ) {
            self.manager = manager
            self.onChange = onChange
        }

        /// Monitors until graceful shutdown, cancellation or `stopMonitoring()` of the manager.
        ///
        /// A call of the handler that is running at that time is awaited. Monitoring then stops unless
        /// `startMonitoring()` was called or another sequence is iterated.
        ///
        /// - Throws: `ReachabilityError` if monitoring could not start or failed, and errors of the handler.
        public func run() async throws {
            for try await snapshot in manager.snapshots.cancelOnGracefulShutdown() {
                try await onChange(snapshot)
            }
        }
    }
#else
    /// Part of the package with its trait only.
    @available(
        *, unavailable, message: "needs the trait ServiceLifecycle of swift-network-reachability"
    )
    public typealias ReachabilityService = Never
#endif
