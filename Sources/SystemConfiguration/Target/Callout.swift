// SPDX-License-Identifier: MIT

internal import Foundation

/// A callback and its context, kept alive by whoever is calling it.
///
/// Never let go of one while a lock is held: the user's `release` may call anything.
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
    // A pointer is no Sendable value; what it points to is the user's affair.
    private let info: UInt

    /// Retains the context's `info`.
    init(
        _ callback: SCNetworkReachabilityCallBack?,
        context: UnsafeMutablePointer<SCNetworkReachabilityContext>?
    ) {
        // On Apple's systems these are C functions, which any thread may call. Swift's plain function
        // types do not say so; by scheduling the target the user does.
        unsafe function = callback.map { unsafe unsafeBitCast($0, to: Function.self) }
        unsafe retain = context?.pointee.retain.map { unsafe unsafeBitCast($0, to: Retain.self) }
        unsafe release = context?.pointee.release.map { unsafe unsafeBitCast($0, to: Release.self) }
        info = unsafe Self.retained(context?.pointee.info, retain)
    }

    deinit {
        unsafe released(UnsafeRawPointer(bitPattern: info))
    }

    /// Whether there is something to call.
    var isCallable: Bool {
        unsafe function != nil
    }

    /// Calls back, with `info` retained for the time of the call.
    func call(_ target: SCNetworkReachability, _ flags: SCNetworkReachabilityFlags) {
        guard let function = unsafe function else { return }
        let held = unsafe UnsafeMutableRawPointer(
            bitPattern: Self.retained(UnsafeMutableRawPointer(bitPattern: info), retain))
        unsafe function(target, flags, held)
        // Without `retain` an `info` was handed over, and is given back once, at the end.
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
