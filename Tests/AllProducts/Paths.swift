// SPDX-License-Identifier: MIT
import Dispatch
import NetworkPath

/// The product NetworkPath.
final class Paths: Product {
    let name = "NetworkPath"
    private let shelf = Shelf(6) { NWPathMonitor() }
    private let queues = [DispatchQueue(label: "d"), DispatchQueue(label: "e"), .global()]

    func act(_ hand: inout Hand) {
        guard let monitor = shelf.take(&hand, replaces: false) else { return }
        switch hand.below(8) {
        case 0...1: monitor.start(queue: queues[hand.below(queues.count)])
        case 2: monitor.cancel()
        case 3:
            monitor.pathUpdateHandler = { [weak monitor] path in
                if path.status == .unsatisfied { monitor?.cancel() }
            }
        case 4: liveOnce(&hand)
        case 5: monitor.pathUpdateHandler = nil
        case 6: hand.iterate(NWPathMonitor(prohibitedInterfaceTypes: [.cellular]))
        default: _ = monitor.currentPath.gateways
        }
    }

    /// Starts a monitor, which lives until it is cancelled.
    private func liveOnce(_ hand: inout Hand) {
        let monitor = NWPathMonitor(requiredInterfaceType: .wiredEthernet)
        monitor.pathUpdateHandler = { [weak monitor] _ in _ = monitor?.currentPath }
        monitor.start(queue: queues[hand.below(queues.count)])
        hand.keep { monitor.cancel() }
    }

    func listen(_ heard: @escaping @Sendable (Bool) -> Void) -> @Sendable () -> Void {
        let monitor = NWPathMonitor()
        monitor.pathUpdateHandler = { heard($0.status == .satisfied) }
        monitor.start(queue: queues[0])
        return { monitor.cancel() }
    }

    func end() {
        shelf.clear { $0.cancel() }
    }
}
