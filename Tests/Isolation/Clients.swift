// SPDX-License-Identifier: MIT

// The APIs that take closures, from a class on the main actor, a Sendable one, and one that is neither.
// `.ci/steps/examples` compiles this file in language modes 5 and 6, with and without the main actor as the default.

import AppleReachability
import CoreTelephony
import Dispatch
import NetworkPath
import NetworkReachability
import ReachabilityConnectivity
import Synchronization
import SystemServices

/// A class of an app's user interface: its closures change its properties.
@MainActor final class MainActorClient {
    private var count = 0
    private var handles: [ReachabilityListener] = []
    private var observations: [ReachabilityObservation] = []

    func listen(to manager: NetworkReachabilityManager, _ monitor: ConnectivityMonitor) throws {
        manager.setReachabilityStatusChangeBlock { [weak self] _ in self?.count += 1 }
        handles = [
            manager.addListener { [weak self] _ in self?.count += 1 },
            manager.addStatusListener { [weak self] _ in self?.count += 1 },
            monitor.addListener { [weak self] _ in self?.count += 1 },
            CellularRadio.shared.addListener { [weak self] _ in self?.count += 1 },
            NetworkManager.shared.addListener { [weak self] _ in self?.count += 1 },
        ]
        observations = [
            manager.observe(\.isReachable) { [weak self] _, _ in self?.count += 1 },
            AFNetworkReachabilityManager.shared().observe(\.isReachable) { [weak self] _, _ in
                self?.count += 1
            },
        ]
    }

    func watch(_ info: CTTelephonyNetworkInfo, _ manager: AFNetworkReachabilityManager) {
        // Calls run on a global queue.
        info.serviceSubscriberCellularProvidersDidUpdateNotifier = { [weak self] _ in
            Task { @MainActor in self?.count += 1 }
        }
        info.subscriberCellularProviderDidUpdateNotifier = { [weak self] _ in
            Task { @MainActor in self?.count += 1 }
        }
        manager.setReachabilityStatusChange { [weak self] _ in self?.count += 1 }
        let monitor = NWPathMonitor()
        monitor.pathUpdateHandler = { [weak self] path in
            Task { @MainActor in self?.count += path.isExpensive ? 1 : 0 }
        }
    }

    func target() -> ReachabilityTarget {
        ReachabilityTarget.internet.with(interfaceClasses: [.wifi, .wiredEthernet])
            .with(interfaceClass: .wifi)
    }
}

/// A class of a service: its closures run on queues and on the main actor.
nonisolated final class SendableClient: Sendable {
    private let count = Mutex(0)

    func listen(
        to manager: NetworkReachabilityManager, _ monitor: ConnectivityMonitor,
        on queue: DispatchQueue
    ) -> [ReachabilityListener] {
        manager.setReachabilityStatusChangeBlock { _ in self.add() }
        return [
            manager.addListener { _ in self.add() },
            manager.addListener(queue: queue) { _ in self.add() },
            manager.addStatusListener(queue: queue) { _ in self.add() },
            monitor.addListener { _ in self.add() },
            monitor.addListener(queue: queue) { _ in self.add() },
            CellularRadio.shared.addListener { _ in self.add() },
            CellularRadio.shared.addListener(queue: queue) { _ in self.add() },
            NetworkManager.shared.addListener { _ in self.add() },
            NetworkManager.shared.addListener(queue: queue) { _ in self.add() },
        ]
    }

    func observe(_ manager: NetworkReachabilityManager) -> [ReachabilityObservation] {
        [
            manager.observe(\.isReachable) { _, _ in self.add() },
            AFNetworkReachabilityManager.shared().observe(\.isReachable) { _, _ in self.add() },
        ]
    }

    private func add() {
        count.withLock { $0 += 1 }
    }
}

/// A class as Apple's platforms have them: its closures change its properties, and it isn't Sendable.
nonisolated final class PlainClient {
    private var count = 0

    func watch(_ info: CTTelephonyNetworkInfo, _ manager: AFNetworkReachabilityManager) {
        info.serviceSubscriberCellularProvidersDidUpdateNotifier = { [weak self] _ in
            self?.count += 1
        }
        info.subscriberCellularProviderDidUpdateNotifier = { [weak self] _ in self?.count += 1 }
        manager.setReachabilityStatusChange { [weak self] _ in self?.count += 1 }
    }

    /// Closures of the main actor or of a queue can't change it, but may have values.
    func listen(
        to manager: NetworkReachabilityManager, _ monitor: ConnectivityMonitor, _ name: String
    ) -> [ReachabilityListener] {
        [
            manager.addListener { print(name, $0) },
            monitor.addListener { print(name, $0) },
            CellularRadio.shared.addListener { print(name, $0) },
            NetworkManager.shared.addListener { print(name, $0) },
        ]
    }

    func observe(_ manager: NetworkReachabilityManager, _ name: String) -> [ReachabilityObservation]
    {
        [
            manager.observe(\.isReachable) { print(name, $1) },
            AFNetworkReachabilityManager.shared().observe(\.isReachable) { print(name, $1) },
        ]
    }
}
