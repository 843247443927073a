// SPDX-License-Identifier: MIT

public import Foundation

/// The callback of a target, called after a change.
///
///     let callback: SCNetworkReachabilityCallBack = { _, flags, _ in
///         print(flags.contains(.reachable) ? "online" : "offline")
///     }
///     SCNetworkReachabilitySetCallback(target, callback, nil)
///
/// It runs on the queue or run loop that the target is scheduled on, with no lock held: it may call every
/// function of this module, even for its own target.
///
/// - Parameters:
///   - target: The target.
///   - flags: The flags of the target at the time of the call.
///   - info: ``SCNetworkReachabilityContext/info`` of the context.
public typealias SCNetworkReachabilityCallBack = (
    _ target: SCNetworkReachability, _ flags: SCNetworkReachabilityFlags,
    _ info: UnsafeMutableRawPointer?
) -> Void

/// The context of a callback: a pointer of the application and its memory management.
///
///     var context = SCNetworkReachabilityContext()
///     context.info = Unmanaged.passUnretained(owner).toOpaque()
///     context.retain = { UnsafeRawPointer(Unmanaged<AnyObject>.fromOpaque($0).retain().toOpaque()) }
///     context.release = { Unmanaged<AnyObject>.fromOpaque($0).release() }
///     SCNetworkReachabilitySetCallback(target, { _, flags, _ in print(flags) }, &context)
@unsafe
public struct SCNetworkReachabilityContext {
    /// The version, 0; ignored.
    public var version: CFIndex

    /// The application's pointer, passed to every call of the callback.
    public var info: UnsafeMutableRawPointer?

    /// Called with ``info`` by `SCNetworkReachabilitySetCallback(_:_:_:)` before it returns, and
    /// before each call of the callback.
    ///
    /// Its result replaces ``info``.
    public var retain: ((UnsafeRawPointer) -> UnsafeRawPointer)?

    /// Called once for each ``retain``: after each call of the callback, and when the callback is
    /// replaced or the target released, once no call is running.
    ///
    /// Without ``retain`` it is called once, at the end.
    public var release: ((UnsafeRawPointer) -> Void)?

    /// Describes ``info``; never called, as on Apple's systems.
    public var copyDescription: ((UnsafeRawPointer) -> Unmanaged<CFString>)?

    /// Creates a context without a pointer.
    public init() {
        unsafe self.init(version: 0, info: nil, retain: nil, release: nil, copyDescription: nil)
    }

    /// Creates a context from all its members.
    public init(
        version: CFIndex, info: UnsafeMutableRawPointer?,
        retain: ((UnsafeRawPointer) -> UnsafeRawPointer)?,
        release: ((UnsafeRawPointer) -> Void)?,
        copyDescription: ((UnsafeRawPointer) -> Unmanaged<CFString>)?
    ) {
        unsafe self.version = version
        unsafe self.info = info
        unsafe self.retain = retain
        unsafe self.release = release
        unsafe self.copyDescription = copyDescription
    }
}
