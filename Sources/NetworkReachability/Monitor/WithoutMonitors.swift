// SPDX-License-Identifier: MIT

#if !canImport(CReach)
internal import Dispatch

// What stands above this folder compiles on systems without the C core, too; there, it gets an error.

/// The source of managers, which throws.
package final class MonitorOptions: MonitorSource {
    package static let standard = MonitorOptions()

    package func subscribe(
        _ session: MonitoringSession, to target: ReachabilityTarget, once: Bool
    ) throws(ReachabilityError) -> any MonitorSubscription {
        throw .unsupportedSystem
    }

    package func check(
        _ target: ReachabilityTarget
    ) throws(ReachabilityError) -> ReachabilitySnapshot {
        throw .unsupportedSystem
    }

    package func explain(
        _ target: ReachabilityTarget
    ) throws(ReachabilityError) -> ReachabilityExplanation {
        throw .unsupportedSystem
    }

    package func perform(_ job: @escaping @Sendable () -> [Delivery]) {
        MonitorLoop.perform(job)
    }
}

enum MonitorHandle {
    static func host(in namespace: NetworkNamespace) throws(ReachabilityError) -> NetworkHost {
        throw .unsupportedSystem
    }
}

package enum MonitorHub {
    package typealias Sink<Value> = @Sendable (Result<Value, ReachabilityError>) -> Void

    static func watchInterfaces(
        of namespace: NetworkNamespace, options: MonitorOptions, _ sink: Sink<[NetworkInterface]>
    ) throws(ReachabilityError) -> @Sendable () -> Void {
        throw .unsupportedSystem
    }

    package static func watchHost(
        of namespace: NetworkNamespace, options: MonitorOptions, _ sink: Sink<NetworkHost>
    ) throws(ReachabilityError) -> @Sendable () -> Void {
        throw .unsupportedSystem
    }

    static func refresh(
        in namespace: NetworkNamespace, _ options: MonitorOptions
    ) throws(ReachabilityError) {
        throw .unsupportedSystem
    }

    static func statistics(
        in namespace: NetworkNamespace, _ options: MonitorOptions
    ) throws(ReachabilityError) -> MonitorStatistics? {
        throw .unsupportedSystem
    }
}

enum HostSubscribers {
    typealias Sink<Value> = @Sendable (Result<Value, ReachabilityError>) -> Void
}

/// A serial queue.
package enum MonitorLoop {
    private static let queue = DispatchQueue(label: "NetworkReachability")

    package static func perform(_ job: @escaping @Sendable () -> [Delivery]) {
        queue.async {
            for delivery in job() { delivery.make() }
        }
    }
}
#endif
