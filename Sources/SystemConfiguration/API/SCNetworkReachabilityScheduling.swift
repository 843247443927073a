// SPDX-License-Identifier: MIT

@unsafe @preconcurrency public import CoreFoundation
@unsafe @preconcurrency public import Dispatch
public import Foundation

/// Sets, replaces or takes away the callback of a target.
///
/// A change is one of the flags, of the interface in use or of the number of addresses of a name. An
/// address calls back for changes only; a name calls back at least once after it was scheduled, unless
/// its flags were asked for. A call that is under way is not waited for.
///
/// - Parameters:
///   - target: The target.
///   - callout: What to call, or nil for nothing.
///   - context: What to hand to it, or nil. Its `retain` has been called when this returns, its `release`
///     is called when the callback is replaced.
/// - Returns: True.
@discardableResult
public func SCNetworkReachabilitySetCallback(
    _ target: SCNetworkReachability, _ callout: SCNetworkReachabilityCallBack?,
    _ context: UnsafeMutablePointer<SCNetworkReachabilityContext>?
) -> Bool {
    unsafe target.setCallout(Callout(callout, context: context))
    return true
}

/// Lets a target call back on a dispatch queue, or takes it away from its queue.
///
/// - Parameters:
///   - target: The target.
///   - queue: The queue, or nil to unschedule. Calls that are under way are not waited for.
/// - Returns: False if the target is scheduled already, or with nil not on a queue: `SCError()` is
///   `kSCStatusInvalidArgument` then; or an `errno` value if the kernel cannot be watched.
@discardableResult
public func SCNetworkReachabilitySetDispatchQueue(
    _ target: SCNetworkReachability, _ queue: DispatchQueue?
) -> Bool {
    ThreadStatus.succeeds { () throws(StatusError) in
        if let queue { try target.schedule(on: queue) } else { try target.unscheduleFromQueue() }
    }
}

/// Lets a target call back on a run loop, in addition to those it is on.
///
/// - Parameters:
///   - target: The target.
///   - runLoop: The run loop. The target keeps it alive.
///   - runLoopMode: The mode, for example `CFRunLoopMode.commonModes.rawValue`. Scheduling it twice wants
///     unscheduling twice.
/// - Returns: False if the target is on a queue: `SCError()` is `kSCStatusInvalidArgument` then; or an
///   `errno` value if the kernel cannot be watched.
@discardableResult
public func SCNetworkReachabilityScheduleWithRunLoop(
    _ target: SCNetworkReachability, _ runLoop: CFRunLoop, _ runLoopMode: CFString
) -> Bool {
    ThreadStatus.succeeds { () throws(StatusError) in
        try target.schedule(on: runLoop, mode: runLoopMode.description)
    }
}

/// Takes a target away from a run loop.
///
/// - Parameters:
///   - target: The target.
///   - runLoop: The run loop.
///   - runLoopMode: The mode.
/// - Returns: False if the target is not on that run loop in that mode: `SCError()` is
///   `kSCStatusInvalidArgument` then.
@discardableResult
public func SCNetworkReachabilityUnscheduleFromRunLoop(
    _ target: SCNetworkReachability, _ runLoop: CFRunLoop, _ runLoopMode: CFString
) -> Bool {
    ThreadStatus.succeeds { () throws(StatusError) in
        try target.unschedule(from: runLoop, mode: runLoopMode.description)
    }
}

/// The same for `kCFRunLoopCommonModes` and its like, which are Core Foundation's own strings on Linux.
@discardableResult
public func SCNetworkReachabilityScheduleWithRunLoop(
    _ target: SCNetworkReachability, _ runLoop: CFRunLoop, _ runLoopMode: CFRunLoopMode
) -> Bool {
    SCNetworkReachabilityScheduleWithRunLoop(target, runLoop, runLoopMode.rawValue)
}

/// The same for `kCFRunLoopCommonModes` and its like, which are Core Foundation's own strings on Linux.
@discardableResult
public func SCNetworkReachabilityUnscheduleFromRunLoop(
    _ target: SCNetworkReachability, _ runLoop: CFRunLoop, _ runLoopMode: CFRunLoopMode
) -> Bool {
    SCNetworkReachabilityUnscheduleFromRunLoop(target, runLoop, runLoopMode.rawValue)
}
