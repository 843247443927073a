// SPDX-License-Identifier: MIT

@unsafe @preconcurrency public import CoreFoundation
@unsafe @preconcurrency public import Dispatch
public import Foundation

/// Sets, replaces, or removes the callback of a target.
///
/// The callback runs when the flags, the interface in use, or the number of a name's addresses change. For a name it
/// also runs at least once after scheduling, unless you read the flags in between. This function doesn't wait
/// for a running callback.
///
/// - Parameters:
///   - target: The target.
///   - callout: The callback, or nil for none.
///   - context: The context of the callback, or nil. Its `retain` is called before this returns, its
///     `release` when the callback is replaced.
/// - Returns: True.
@discardableResult
public func SCNetworkReachabilitySetCallback(
    _ target: SCNetworkReachability, _ callout: SCNetworkReachabilityCallBack?,
    _ context: UnsafeMutablePointer<SCNetworkReachabilityContext>?
) -> Bool {
    unsafe target.setCallout(Callout(callout, context: context))
    return true
}

/// Schedules a target on a dispatch queue, or unschedules it.
///
/// - Parameters:
///   - target: The target.
///   - queue: The queue, or nil to unschedule. The function doesn't wait for running callbacks.
/// - Returns: True on success. False if the target is already scheduled, or, with nil, if it isn't on a queue;
///   `SCError()` is then `kSCStatusInvalidArgument`. False if monitoring isn't possible; `SCError()` is then an
///   `errno` value.
@discardableResult
public func SCNetworkReachabilitySetDispatchQueue(
    _ target: SCNetworkReachability, _ queue: DispatchQueue?
) -> Bool {
    ThreadStatus.succeeds { () throws(StatusError) in
        if let queue { try target.schedule(on: queue) } else { try target.unscheduleFromQueue() }
    }
}

/// Schedules a target on a run loop, in addition to earlier ones.
///
///     SCNetworkReachabilitySetCallback(target, { _, flags, _ in print(flags) }, nil)
///     SCNetworkReachabilityScheduleWithRunLoop(target, CFRunLoopGetMain(), CFRunLoopMode.commonModes.rawValue)
///
/// - Parameters:
///   - target: The target.
///   - runLoop: The run loop. The target keeps it alive. The main queue serves the default and common modes of the
///     main run loop if the latter never runs, as in an `async` main function on Linux. On the main queue,
///     `CFRunLoopGetCurrent()` stands for the main run loop.
///   - runLoopMode: The mode, for example `CFRunLoopMode.commonModes.rawValue`. If you schedule a target twice,
///     unschedule it twice.
/// - Returns: True on success. False if the target is on a queue; `SCError()` is then `kSCStatusInvalidArgument`.
///   False if monitoring isn't possible; `SCError()` is then an `errno` value.
@discardableResult
public func SCNetworkReachabilityScheduleWithRunLoop(
    _ target: SCNetworkReachability, _ runLoop: CFRunLoop, _ runLoopMode: CFString
) -> Bool {
    ThreadStatus.succeeds { () throws(StatusError) in
        try target.schedule(on: runLoop, mode: runLoopMode.description)
    }
}

/// Unschedules a target from a run loop.
///
/// - Parameters:
///   - target: The target.
///   - runLoop: The run loop.
///   - runLoopMode: The mode.
/// - Returns: True on success. False if the target isn't on that run loop in that mode; `SCError()` is then
///   `kSCStatusInvalidArgument`.
@discardableResult
public func SCNetworkReachabilityUnscheduleFromRunLoop(
    _ target: SCNetworkReachability, _ runLoop: CFRunLoop, _ runLoopMode: CFString
) -> Bool {
    ThreadStatus.succeeds { () throws(StatusError) in
        try target.unschedule(from: runLoop, mode: runLoopMode.description)
    }
}

/// Schedules a target on a run loop in a mode such as `kCFRunLoopCommonModes`, a Core Foundation string on Linux.
@discardableResult
public func SCNetworkReachabilityScheduleWithRunLoop(
    _ target: SCNetworkReachability, _ runLoop: CFRunLoop, _ runLoopMode: CFRunLoopMode
) -> Bool {
    SCNetworkReachabilityScheduleWithRunLoop(target, runLoop, runLoopMode.rawValue)
}

/// Unschedules a target from a mode such as `kCFRunLoopCommonModes`, a Core Foundation string on Linux.
@discardableResult
public func SCNetworkReachabilityUnscheduleFromRunLoop(
    _ target: SCNetworkReachability, _ runLoop: CFRunLoop, _ runLoopMode: CFRunLoopMode
) -> Bool {
    SCNetworkReachabilityUnscheduleFromRunLoop(target, runLoop, runLoopMode.rawValue)
}
