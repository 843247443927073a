// SPDX-License-Identifier: MIT

public import Foundation

/// A callback and its context, whose `info` is retained during each call.
///
/// Release it with no lock held: `release` of the context is code of the application.
@safe
final class Callout: Sendable {
    private typealias Function =
        @Sendable (
            SCNetworkReachability, SCNetworkReachabilityFlags, UnsafeMutableRawPointer?
        ) -> Void
    private typealias Retain = @Sendable (UnsafeRawPointer) -> UnsafeRawPointer
    private typealias Release = @Sendable (UnsafeRawPointer) -> Void

    private let function: Function?
    private let retain: Retain?
    private let release: Release?
    // A number, since a pointer isn't Sendable. The application must make its object safe to use on the
    // queue.
    private let info: UInt

    /// Retains the context's `info`.
    init(
        _ callback: SCNetworkReachabilityCallBack?,
        context: UnsafeMutablePointer<SCNetworkReachabilityContext>?
    ) {
        // On Apple's systems these are C functions, which any thread may call; Swift's function types are
        // not Sendable by themselves.
        unsafe function = callback.map { unsafe unsafeBitCast($0, to: Function.self) }
        unsafe retain = context?.pointee.retain.map { unsafe unsafeBitCast($0, to: Retain.self) }
        unsafe release = context?.pointee.release.map { unsafe unsafeBitCast($0, to: Release.self) }
        info = unsafe Self.retained(context?.pointee.info, retain)
    }

    deinit {
        unsafe released(UnsafeRawPointer(bitPattern: info))
    }

    /// Whether it has a callback.
    var isCallable: Bool {
        unsafe function != nil
    }

    /// Calls the callback, with `info` retained during the call.
    func call(_ target: SCNetworkReachability, _ flags: SCNetworkReachabilityFlags) {
        guard let function = unsafe function else { return }
        let held = unsafe UnsafeMutableRawPointer(
            bitPattern: Self.retained(UnsafeMutableRawPointer(bitPattern: info), retain))
        unsafe function(target, flags, held)
        // Without `retain` the context owns one reference, which is released once, in deinit.
        if unsafe retain != nil { unsafe released(UnsafeRawPointer(held)) }
    }

    private static func retained(_ info: UnsafeMutableRawPointer?, _ retain: Retain?) -> UInt {
        guard let info = unsafe info, let retain = unsafe retain else {
            return UInt(bitPattern: info)
        }
        return unsafe UInt(bitPattern: retain(info))
    }

    private func released(_ info: UnsafeRawPointer?) {
        guard let info = unsafe info else { return }
        unsafe release?(info)
    }
}

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
