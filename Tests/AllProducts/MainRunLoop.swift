// SPDX-License-Identifier: MIT
import BusTestSupport
import Foundation
import SwiftTestSupport
import Synchronization
import SystemConfiguration

/// Whether the main run loop runs in a mode of its own instead of the default mode.
private let isTracking = Atomic(false)
private let tracking = RunLoop.Mode("tracking")

/// Serves the main queue, and the blocks of Apple's classes.
func runMainRunLoop() -> Never {
    while true {
        let mode = isTracking.load(ordering: .relaxed) ? tracking : .default
        _ = RunLoop.main.run(mode: mode, before: .distantFuture)
    }
}

/// Changes the mode, and returns when the main run loop runs in it.
private func setTracking(_ new: Bool) {
    isTracking.store(new, ordering: .relaxed)
    while DispatchQueue.main.sync(execute: { RunLoop.main.currentMode == tracking }) != new {}
}

/// Checks that the main run loop calls a target in the target's mode alone.
///
/// It serves the main queue in other modes, too. A test can't check that: under `swift test`, the main
/// run loop has ended. The world must be offline.
func checkMainRunLoop(_ world: World) throws {
    let calls = Atomic(0)
    let called = DispatchSemaphore(value: 0)
    let target = try makeTarget { _ in
        calls.add(1, ordering: .relaxed)
        called.signal()
    }
    guard let main = CFRunLoopGetMain() else { return }
    let mode = Array(tracking.rawValue.utf16)
    unsafe CFRunLoopAddCommonMode(main, CFStringCreateWithCharacters(nil, mode, mode.count))
    SCNetworkReachabilityScheduleWithRunLoop(target, main, CFRunLoopMode.defaultMode.rawValue)

    // A mode without a source doesn't run.
    let source = try makeTarget { _ in }
    SCNetworkReachabilityScheduleWithRunLoop(source, main, tracking.rawValue as CFString)
    setTracking(true)
    try changeTwice(world)
    DispatchQueue.main.sync {}
    guard calls.load(ordering: .relaxed) == 0 else {
        fatalError("the main run loop called a target of the default mode in another mode")
    }
    setTracking(false)
    guard called.wait(timeout: .now() + .seconds(120)) == .success else {
        fatalError("the main run loop does not call a target of the default mode")
    }
    stop(target)
    SCNetworkReachabilityUnscheduleFromRunLoop(target, main, CFRunLoopMode.defaultMode.rawValue)
    SCNetworkReachabilityUnscheduleFromRunLoop(source, main, tracking.rawValue as CFString)
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
