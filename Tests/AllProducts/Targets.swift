// SPDX-License-Identifier: MIT
import BusTestSupport
import CoreFoundation
import Dispatch
import SwiftTestSupport
import SystemConfiguration

/// The product SystemConfiguration.
final class Targets: Product {
    let name = "SystemConfiguration"
    private let shelf = Shelf(8) { unsafe SCNetworkReachabilityCreateWithName(nil, World.address) }
    private let queues = [DispatchQueue(label: "c"), .global()]
    private let loop = RunLoopThread()

    func act(_ hand: inout Hand) {
        guard let target = shelf.take(&hand, replaces: false) else { return }
        switch hand.below(10) {
        case 0...1:
            SCNetworkReachabilitySetDispatchQueue(target, queues[hand.below(queues.count)])
        case 2: SCNetworkReachabilitySetDispatchQueue(target, nil)
        case 3:
            setCallback(of: target) { [weak target] _ in
                if let target { SCNetworkReachabilitySetDispatchQueue(target, nil) }
            }
        case 4: setCallback(of: target) { [weak target] _ in if let target { stop(target) } }
        case 5: SCNetworkReachabilitySetCallback(target, nil, nil)
        case 6: schedule(target)
        case 7: liveOnce(&hand)
        case 8: unschedule(target)
        default:
            var flags = SCNetworkReachabilityFlags()
            unsafe SCNetworkReachabilityGetFlags(target, &flags)
        }
    }

    /// Makes a target that lives until it is unscheduled, and whose name may have no address.
    private func liveOnce(_ hand: inout Hand) {
        let name = hand.below(2) == 0 ? "no name" : "0.0.0.0"
        guard let target = unsafe SCNetworkReachabilityCreateWithName(nil, name) else { return }
        setCallback(of: target) { [weak target] _ in _ = target.map(CFHash) }
        SCNetworkReachabilitySetDispatchQueue(target, queues[hand.below(queues.count)])
        hand.keep { stop(target) }
    }

    private func schedule(_ target: SCNetworkReachability) {
        SCNetworkReachabilityScheduleWithRunLoop(
            target, loop.runLoop, CFRunLoopMode.commonModes.rawValue)
    }

    @discardableResult
    private func unschedule(_ target: SCNetworkReachability) -> Bool {
        SCNetworkReachabilityUnscheduleFromRunLoop(
            target, loop.runLoop, CFRunLoopMode.commonModes.rawValue)
    }

    func listen(_ heard: @escaping @Sendable (Bool) -> Void) throws -> @Sendable () -> Void {
        guard let target = unsafe SCNetworkReachabilityCreateWithName(nil, World.address) else {
            return {}
        }
        setCallback(of: target) { heard($0.contains(.reachable)) }
        var flags = SCNetworkReachabilityFlags()
        unsafe SCNetworkReachabilityGetFlags(target, &flags)
        heard(flags.contains(.reachable))
        SCNetworkReachabilitySetDispatchQueue(target, queues[0])
        return { stop(target) }
    }

    func end() {
        shelf.clear { target in
            stop(target)
            while unschedule(target) {}
        }
    }
}

func stop(_ target: SCNetworkReachability) {
    SCNetworkReachabilitySetCallback(target, nil, nil)
    SCNetworkReachabilitySetDispatchQueue(target, nil)
}
