// SPDX-License-Identifier: MIT

internal import Foundation

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
