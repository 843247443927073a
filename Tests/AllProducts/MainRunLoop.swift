// SPDX-License-Identifier: MIT
import BusTestSupport
import Foundation
import SwiftTestSupport
import Synchronization
import SystemConfiguration

/// Checks that the main run loop calls a target in the target's mode alone.
///
/// It serves the main queue in other modes, too. A test can't check that: under `swift test`, the main
/// run loop has ended. The main thread must run the default mode, and the world must be offline.
func checkMainRunLoop(_ world: World) throws {
    let tracking = "tracking"
    let calls = Atomic(0)
    let called = DispatchSemaphore(value: 0)
    let target = try makeTarget { _ in
        calls.add(1, ordering: .relaxed)
        called.signal()
    }
    guard let main = CFRunLoopGetMain() else { return }
    unsafe CFRunLoopAddCommonMode(main, CFStringCreateWithCharacters(nil, Array(tracking.utf16), 8))
    SCNetworkReachabilityScheduleWithRunLoop(target, main, CFRunLoopMode.defaultMode.rawValue)

    let isTracking = Atomic(true)
    RunLoop.main.perform {
        while isTracking.load(ordering: .relaxed) {
            _ = RunLoop.main.run(mode: RunLoop.Mode(tracking), before: .distantFuture)
        }
    }
    try changeTwice(world)
    DispatchQueue.main.sync {}
    guard calls.load(ordering: .relaxed) == 0 else {
        fatalError("the main run loop called a target of the default mode in another mode")
    }
    DispatchQueue.main.async { isTracking.store(false, ordering: .relaxed) }
    guard called.wait(timeout: .now() + .seconds(120)) == .success else {
        fatalError("the main run loop does not call a target of the default mode")
    }
    stop(target)
    SCNetworkReachabilityUnscheduleFromRunLoop(target, main, CFRunLoopMode.defaultMode.rawValue)
}

/// Returns when a target on a queue has been called for both changes.
///
/// By then, the first has been signalled to all others.
private func changeTwice(_ world: World) throws {
    let called = DispatchSemaphore(value: 0)
    let witness = try makeTarget { _ in called.signal() }
    SCNetworkReachabilitySetDispatchQueue(witness, .global())
    for isOnline in [true, false] {
        try world.set(isOnline: isOnline)
        guard called.wait(timeout: .now() + .seconds(120)) == .success else {
            fatalError("a target on a queue is not called")
        }
    }
    stop(witness)
}

private func makeTarget(
    _ call: @escaping @Sendable (SCNetworkReachabilityFlags) -> Void
) throws -> SCNetworkReachability {
    guard let target = unsafe SCNetworkReachabilityCreateWithName(nil, World.address) else {
        throw SCCopyLastError()
    }
    setCallback(of: target, call)
    return target
}
