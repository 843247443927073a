// SPDX-License-Identifier: MIT

@unsafe @preconcurrency public import CoreFoundation
public import Foundation

// On Linux, Core Foundation's functions of these names accept any object, and abort if it isn't one of their own.
// Swift prefers the overloads here if the argument's static type is SCNetworkReachability. It doesn't for an
// optional or a CFTypeRef.

/// Returns the type id of a target.
///
/// - Returns: ``SCNetworkReachabilityGetTypeID()``.
public func CFGetTypeID(_ cf: SCNetworkReachability) -> CFTypeID {
    SCNetworkReachabilityGetTypeID()
}

/// Returns whether two targets are the same object.
public func CFEqual(_ cf1: SCNetworkReachability, _ cf2: SCNetworkReachability) -> Bool {
    cf1 === cf2
}

/// Returns whether a target is a given object.
public func CFEqual(_ cf1: SCNetworkReachability, _ cf2: CFTypeRef) -> Bool {
    cf1 === cf2
}

/// Returns whether an object is a given target.
public func CFEqual(_ cf1: CFTypeRef, _ cf2: SCNetworkReachability) -> Bool {
    cf1 === cf2
}

/// Returns the hash of a target; equal targets have equal hashes.
public func CFHash(_ cf: SCNetworkReachability) -> CFHashCode {
    CFHashCode(bitPattern: cf.hashValue)
}

/// Returns the text of a target; see ``SCNetworkReachability/description``.
public func CFCopyDescription(_ cf: SCNetworkReachability) -> SystemConfiguration.CFString! {
    NSString(string: cf.description)
}

/// Writes the text of a target to the standard error; see ``SCNetworkReachability/description``.
public func CFShow(_ obj: SCNetworkReachability) {
    FileHandle.standardError.write(Data("\(obj)\n".utf8))
}

/// Returns the code of an error such as that of ``SCCopyLastError()``.
public func CFErrorGetCode(_ err: SystemConfiguration.CFError) -> CFIndex {
    err.code
}

/// Returns the domain of an error such as that of ``SCCopyLastError()``.
public func CFErrorGetDomain(_ err: SystemConfiguration.CFError) -> SystemConfiguration.CFString {
    NSString(string: err.domain)
}

/// Returns the text of an error such as that of ``SCCopyLastError()``.
public func CFErrorCopyDescription(
    _ err: SystemConfiguration.CFError
) -> SystemConfiguration.CFString {
    NSString(string: err.localizedDescription)
}

extension RunLoop {
    /// Returns Core Foundation's run loop, the argument of `SCNetworkReachabilityScheduleWithRunLoop(_:_:_:)`.
    ///
    /// Foundation has this method on Apple's systems only.
    ///
    ///     if let target = SCNetworkReachabilityCreateWithName(nil, "www.example.com") {
    ///         SCNetworkReachabilityScheduleWithRunLoop(
    ///             target, RunLoop.main.getCFRunLoop(), CFRunLoopMode.commonModes.rawValue)
    ///     }
    ///
    /// Implicitly unwrapped, like `CFRunLoopGetMain()` on Linux.
    public func getCFRunLoop() -> CFRunLoop! {
        if self === RunLoop.main { return CFRunLoopGetMain() }
        if self === RunLoop.current { return CFRunLoopGetCurrent() }
        // Foundation keeps another thread's run loop in a stored property that isn't public.
        let storage = Mirror(reflecting: self).children.first { $0.label == "_cfRunLoopStorage" }
        guard let storage else { return nil }
        let object = unsafe Unmanaged.passUnretained(storage.value as AnyObject).toOpaque()
        return unsafe Unmanaged<CFRunLoop>.fromOpaque(object).takeUnretainedValue()
    }
}
