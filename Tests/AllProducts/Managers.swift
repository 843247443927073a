// SPDX-License-Identifier: MIT
import BusTestSupport
import Dispatch
import Glibc
import NetworkReachability
import Observation
import SwiftTestSupport

/// The product NetworkReachability.
final class Managers: Product {
    let name = "NetworkReachability"
    private let shelf = Shelf(12) { try? NetworkReachabilityManager(address: World.address) }
    private let queues = [DispatchQueue(label: "a"), DispatchQueue(label: "b"), .global()]
    private let forks: Bool

    init(forks: Bool) {
        self.forks = forks
    }

    func act(_ hand: inout Hand) throws {
        guard let manager = shelf.take(&hand) else { return }
        switch hand.below(16) {
        case 0...3: try manager.startMonitoring()
        case 4: manager.stopMonitoring()
        case 5: setBlock(of: manager, &hand)
        case 6: addListener(to: manager, &hand)
        case 7: observe(manager, &hand)
        case 8...10: iterate(manager, &hand)
        case 11: wait(for: manager, &hand)
        case 12: try ask(manager, &hand)
        case 13: fork(manager, &hand)
        default: hand.endOne()
        }
    }

    private func setBlock(of manager: NetworkReachabilityManager, _ hand: inout Hand) {
        guard hand.below(4) > 0 else { return manager.setReachabilityStatusChangeBlock(nil) }
        let owned = Owned(manager)
        manager.setReachabilityStatusChangeBlock(queue: queues[hand.below(queues.count)]) { _ in
            withExtendedLifetime(owned) {}
        }
    }

    private func addListener(to manager: NetworkReachabilityManager, _ hand: inout Hand) {
        let owned = Owned(manager)
        let stops = hand.below(4) == 0
        let listener = manager.addListener(
            queue: queues[hand.below(queues.count)], stable: time(&hand)
        ) { [weak manager] _ in
            if stops { manager?.stopMonitoring() }
            withExtendedLifetime(owned) {}
        }
        hand.keep { listener.cancel() }
    }

    private func observe(_ manager: NetworkReachabilityManager, _ hand: inout Hand) {
        guard hand.below(2) > 0 else {
            return withObservationTracking {
                _ = manager.isReachable
            } onChange: { [weak manager] in
                manager?.stopMonitoring()
            }
        }
        let observation = manager.observe(
            \.isReachable, options: [.initial, .prior, .old, .new],
            queue: queues[hand.below(queues.count)]
        ) { manager, _ in _ = manager.snapshot }
        hand.keep { observation.invalidate() }
    }

    private func iterate(_ manager: NetworkReachabilityManager, _ hand: inout Hand) {
        switch hand.below(4) {
        case 0: hand.iterate(manager.snapshots)
        case 1: hand.iterate(manager.statuses.stable(for: time(&hand)))
        case 2: hand.iterate(NetworkHost.updates())
        default: hand.iterate(NetworkInterface.updates())
        }
    }

    private func wait(for manager: NetworkReachabilityManager, _ hand: inout Hand) {
        let timeout: Duration? = hand.below(2) == 0 ? nil : .microseconds(hand.below(2000))
        let isReachable = hand.below(2) == 0
        let time = time(&hand)
        hand.begin {
            _ = try? await manager.wait(timeout: timeout, stable: time) {
                $0.status.isReachable == isReachable
            }
        }
    }

    private func ask(_ manager: NetworkReachabilityManager, _ hand: inout Hand) throws {
        switch hand.below(5) {
        case 0: _ = try manager.currentSnapshot()
        case 1: _ = try manager.explanation()
        case 2: _ = try NetworkHost.current()
        case 3: try NetworkHost.refresh()
        default: _ = try NetworkHost.statistics()
        }
    }

    /// The child stops its copy of the manager, and the parent keeps monitoring.
    private func fork(_ manager: NetworkReachabilityManager, _ hand: inout Hand) {
        guard forks, hand.below(64) == 0 else { return }
        let child = SwiftTestSupport.fork {
            manager.stopMonitoring()
            return manager.isMonitoring ? 1 : 0
        }
        guard SwiftTestSupport.wait(for: child) == 0 else { fatalError("a child of fork() failed") }
    }

    private func time(_ hand: inout Hand) -> Duration {
        .microseconds(max(0, hand.below(2000) - 1000))
    }

    func listen(_ heard: @escaping @Sendable (Bool) -> Void) throws -> @Sendable () -> Void {
        let manager = try NetworkReachabilityManager(address: World.address)
        manager.addStatusListener(queue: queues[0]) { heard($0.isReachable) }
        try manager.startMonitoring()
        return { manager.stopMonitoring() }
    }

    func end() {
        shelf.clear { $0.stopMonitoring() }
    }
}

/// A user's object that calls the library when it is released.
private final class Owned: Sendable {
    private struct Manager {
        weak let object: NetworkReachabilityManager?
    }

    private let manager: Manager

    init(_ manager: NetworkReachabilityManager) {
        self.manager = Manager(object: manager)
    }

    deinit {
        manager.object?.stopMonitoring()
    }
}
