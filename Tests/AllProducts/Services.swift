// SPDX-License-Identifier: MIT
import Dispatch
import NetworkReachability
import SystemServices

/// The product SystemServices.
final class Services: Product {
    let name = "SystemServices"
    private let queues = [DispatchQueue(label: "f"), .global()]

    func act(_ hand: inout Hand) {
        switch hand.below(8) {
        case 0: listen(to: CellularRadio.shared, &hand)
        case 1: listen(to: NetworkManager.shared, &hand)
        case 2: hand.iterate(CellularRadio.shared.states)
        case 3: hand.iterate(NetworkManager.shared.states)
        case 4: keep(CellularRadio.shared.informReachability(connectsOnTraffic: true), &hand)
        case 5: keep(NetworkManager.shared.informReachability(), &hand)
        case 6: _ = CellularRadio.shared.currentState()
        default: _ = NetworkManager.shared.currentState(timeout: .microseconds(hand.below(500)))
        }
    }

    private func listen<State>(to service: SystemService<State>, _ hand: inout Hand) {
        let queue = queues[hand.below(queues.count)]
        keep(service.addListener(queue: queue) { _ in _ = service.currentState() }, &hand)
    }

    private func keep(_ listener: ReachabilityListener, _ hand: inout Hand) {
        hand.keep { listener.cancel() }
    }

    func listen(_ heard: @escaping @Sendable (Bool) -> Void) -> @Sendable () -> Void {
        let listener = NetworkManager.shared.addListener(queue: queues[0]) { state in
            if state.availability == .available { heard(state.connectivity == .full) }
        }
        return { listener.cancel() }
    }

    func end() {}
}
