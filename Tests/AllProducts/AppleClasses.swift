// SPDX-License-Identifier: MIT
import AppleReachability
import BusTestSupport
import Dispatch
import NetworkReachability
import SwiftTestSupport

/// The product AppleReachability.
final class AppleClasses: Product {
    let name = "AppleReachability"
    private let managers = Shelf(6) {
        (try? NetworkAddress(World.address)).map(AFNetworkReachabilityManager.init(forAddress:))
    }
    private let samples = Shelf(6) { try? Reachability(reachabilityRef: .address(World.address)) }
    /// A `Reachability` reports on the run loop of the thread that starts it.
    private let loop = RunLoopThread()

    func act(_ hand: inout Hand) {
        if hand.below(2) == 0 { actOnManager(&hand) } else { actOnSample(&hand) }
    }

    private func actOnManager(_ hand: inout Hand) {
        guard let manager = managers.take(&hand) else { return }
        switch hand.below(8) {
        case 0...2: manager.startMonitoring()
        case 3: manager.stopMonitoring()
        case 4:
            manager.setReachabilityStatusChange { [weak manager] _ in manager?.stopMonitoring() }
        case 5: manager.setReachabilityStatusChange(nil)
        case 6:
            let observation = manager.observe(\.isReachable, options: [.initial, .new]) { _, _ in }
            hand.keep { observation.invalidate() }
        default: _ = manager.localizedNetworkReachabilityStatusString()
        }
    }

    private func actOnSample(_ hand: inout Hand) {
        guard let sample = samples.take(&hand) else { return }
        switch hand.below(8) {
        case 0...2: loop.post { sample.startNotifier() }
        case 3: sample.stopNotifier()
        case 4: sample.reachableBlock = { $0.stopNotifier() }
        case 5: sample.unreachableBlock = { [weak sample] _ in sample?.reachableBlock = nil }
        case 6: sample.reachabilityBlock = nil
        default: _ = sample.currentReachabilityFlags()
        }
    }

    func listen(_ heard: @escaping @Sendable (Bool) -> Void) throws -> @Sendable () -> Void {
        let manager = AFNetworkReachabilityManager(forAddress: try NetworkAddress(World.address))
        manager.setReachabilityStatusChange { heard($0.isReachable) }
        manager.startMonitoring()
        return {
            manager.stopMonitoring()
            manager.setReachabilityStatusChange(nil)
        }
    }

    func end() {
        managers.clear {
            $0.stopMonitoring()
            $0.setReachabilityStatusChange(nil)
        }
        samples.clear { sample in loop.post { sample.stopNotifier() } }
    }
}
