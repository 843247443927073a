// SPDX-License-Identifier: MIT
import BusTestSupport
import Dispatch
import NetworkReachability
import NetworkReachabilityTesting

/// The product NetworkReachabilityTesting.
final class Simulations: Product {
    let name = "NetworkReachabilityTesting"
    private let shelf = Shelf(4) { try? SimulatedReachability() }
    private let queue = DispatchQueue(label: "simulations")
    /// The one that the world changes.
    private let simulated: SimulatedReachability

    init(_ simulated: SimulatedReachability) {
        self.simulated = simulated
    }

    func act(_ hand: inout Hand) throws {
        guard let simulated = shelf.take(&hand) else { return }
        switch hand.below(10) {
        case 0: try? simulated.manager.startMonitoring()
        case 1: simulated.manager.stopMonitoring()
        case 2:
            let listener = simulated.manager.addListener(queue: queue) { [weak simulated] _ in
                simulated?.setOnline(over: .cellular)
            }
            hand.keep { listener.cancel() }
        case 3: hand.iterate(simulated.manager.snapshots)
        case 4: simulated.setOffline(.linkDown)
        case 5: simulated.setConnectionRequired(over: .cellular)
        case 6: simulated.fail()
        case 7: simulated.setStartError(nil)
        case 8: hand.begin { await simulated.flush() }
        default: simulated.setOnline()
        }
    }

    func listen(_ heard: @escaping @Sendable (Bool) -> Void) throws -> @Sendable () -> Void {
        let manager = simulated.manager
        let listener = manager.addStatusListener(queue: queue) { heard($0.isReachable) }
        try manager.startMonitoring()
        return {
            listener.cancel()
            manager.stopMonitoring()
        }
    }

    func end() {
        shelf.clear { $0.manager.stopMonitoring() }
    }
}
