// SPDX-License-Identifier: MIT

@unsafe @preconcurrency public import CoreFoundation
@unsafe @preconcurrency public import Dispatch
public import Foundation

/// Sets, replaces or removes the callback of a target.
///
/// A change is a difference of the flags, of the interface in use or of the number of addresses of a name.
/// The callback of an address is called for changes only; that of a name is called at least once after it
/// was scheduled, unless its flags were read before. The call does not wait for a callback that is
/// running.
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
///   - queue: The queue, or nil to unschedule. The call does not wait for callbacks that are running.
/// - Returns: False if the target is scheduled already, or with nil if it is not on a queue, and
///   `SCError()` is `kSCStatusInvalidArgument`; false if monitoring is not possible, and it is an `errno`
///   value.
@discardableResult
public func SCNetworkReachabilitySetDispatchQueue(
    _ target: SCNetworkReachability, _ queue: DispatchQueue?
) -> Bool {
    ThreadStatus.succeeds { () throws(StatusError) in
        if let queue { try target.schedule(on: queue) } else { try target.unscheduleFromQueue() }
    }
}

/// Schedules a target on a run loop, in addition to those it is on.
///
///     SCNetworkReachabilitySetCallback(target, { _, flags, _ in print(flags) }, nil)
///     SCNetworkReachabilityScheduleWithRunLoop(target, CFRunLoopGetMain(), CFRunLoopMode.commonModes.rawValue)
///
/// - Parameters:
///   - target: The target.
///   - runLoop: The run loop. The target keeps it alive.
///   - runLoopMode: The mode, for example `CFRunLoopMode.commonModes.rawValue`. A target that is
///     scheduled twice has to be unscheduled twice.
/// - Returns: False if the target is on a queue, and `SCError()` is `kSCStatusInvalidArgument`; false if
///   monitoring is not possible, and it is an `errno` value.
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
/// - Returns: False if the target is not on that run loop in that mode, and `SCError()` is
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
