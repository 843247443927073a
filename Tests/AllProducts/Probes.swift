// SPDX-License-Identifier: MIT
import BusTestSupport
import Dispatch
import NetworkReachability
import ReachabilityConnectivity
import SwiftTestSupport

/// The product ReachabilityConnectivity.
final class Probes: Product {
    let name = "ReachabilityConnectivity"
    private let shelves: [Shelf<ConnectivityMonitor>]
    private let queues = [DispatchQueue(label: "g"), .global()]
    private let http: ConnectivityProbe

    init(_ scheme: String, _ port: UInt16) throws {
        let http = try ConnectivityProbe.http(
            "\(scheme)://\(World.address):\(port)/", timeout: .milliseconds(200))
        self.http = http
        let tcp = try ConnectivityProbe.tcp(port: Int(port), timeout: .milliseconds(200))
        let custom = ConnectivityProbe.custom { snapshot in
            await Task.yield()
            return snapshot.status.isReachable ? .full : .noNetwork
        }
        let target = try ReachabilityTarget.address(World.address)
        var options = ConnectivityOptions()
        options.retryInterval = .milliseconds(100)
        options.debounceInterval = .zero
        shelves = [http, tcp, custom, .networkManager].map { [options] probe in
            Shelf(2) { try? ConnectivityMonitor(target: target, probe: probe, options: options) }
        }
    }

    func act(_ hand: inout Hand) {
        guard let monitor = shelves[hand.below(shelves.count)].take(&hand) else { return }
        switch hand.below(7) {
        case 0...1:
            let listener = monitor.addListener(queue: queues[hand.below(queues.count)]) {
                [weak monitor] _ in _ = monitor?.state
            }
            hand.keep { listener.cancel() }
        case 2: hand.iterate(monitor.states)
        case 3: hand.iterate(monitor.probes)
        case 4: hand.begin { _ = await monitor.check() }
        case 5:
            hand.begin { _ = try? await monitor.waitUntilConnected(timeout: .milliseconds(20)) }
        default: _ = monitor.state
        }
    }

    func listen(_ heard: @escaping @Sendable (Bool) -> Void) throws -> @Sendable () -> Void {
        let monitor = try ConnectivityMonitor(target: .address(World.address), probe: http)
        let listener = monitor.addListener(queue: queues[0]) { state in
            if !state.isChecking { heard(state.level == .full) }
        }
        // The listener ends with its monitor.
        return { withExtendedLifetime(monitor) { listener.cancel() } }
    }

    func end() {
        for shelf in shelves { shelf.clear { _ in } }
    }
}
