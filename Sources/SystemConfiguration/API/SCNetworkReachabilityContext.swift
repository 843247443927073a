// SPDX-License-Identifier: MIT

public import Foundation

/// What a target calls when it changes.
///
/// It runs on the queue or run loop the target is scheduled on, with no lock held: it may call every
/// function of this module, also on its own target.
///
/// - Parameters:
///   - target: The target.
///   - flags: Its flags at the moment of the call.
///   - info: `info` of the ``SCNetworkReachabilityContext``.
public typealias SCNetworkReachabilityCallBack = (
    _ target: SCNetworkReachability, _ flags: SCNetworkReachabilityFlags,
    _ info: UnsafeMutableRawPointer?
) -> Void

/// What goes with a callback: a pointer of the caller's, and how to keep what it points to.
@unsafe
public struct SCNetworkReachabilityContext {
    /// 0; not looked at.
    public var version: CFIndex

    /// Handed to every call of the callback.
    public var info: UnsafeMutableRawPointer?

    /// Called with ``info`` by `SCNetworkReachabilitySetCallback(_:_:_:)` before it returns, and
    /// before each call of the callback.
    ///
    /// Its result takes the place of ``info``.
    public var retain: ((UnsafeRawPointer) -> UnsafeRawPointer)?

    /// Called once for each ``retain``: after each call of the callback, and when the callback was
    /// replaced or the target is gone and no call is under way any more.
    ///
    /// Without ``retain`` it is called once, at that end.
    public var release: ((UnsafeRawPointer) -> Void)?

    /// Describes ``info``; kept for source compatibility, and never called, as on Apple's systems.
    public var copyDescription: ((UnsafeRawPointer) -> Unmanaged<CFString>)?

    /// A context without a pointer.
    public init() {
        unsafe self.init(version: 0, info: nil, retain: nil, release: nil, copyDescription: nil)
    }

    /// A context of all its parts.
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
