// SPDX-License-Identifier: MIT
package import SystemConfiguration

private final class Callee: Sendable {
    let call: @Sendable (SCNetworkReachabilityFlags) -> Void

    init(_ call: @escaping @Sendable (SCNetworkReachabilityFlags) -> Void) {
        self.call = call
    }
}

/// Sets a callback with a context whose object calls a closure.
package func setCallback(
    of target: SCNetworkReachability,
    _ call: @escaping @Sendable (SCNetworkReachabilityFlags) -> Void
) {
    let callee = Callee(call)
    var context = unsafe SCNetworkReachabilityContext(
        version: 0, info: Unmanaged.passUnretained(callee).toOpaque(),
        retain: { info in
            unsafe UnsafeRawPointer(Unmanaged<Callee>.fromOpaque(info).retain().toOpaque())
        },
        release: { info in unsafe Unmanaged<Callee>.fromOpaque(info).release() },
        copyDescription: nil)
    unsafe SCNetworkReachabilitySetCallback(
        target,
        { _, flags, info in
            guard let info = unsafe info else { return }
            unsafe Unmanaged<Callee>.fromOpaque(info).takeUnretainedValue().call(flags)
        }, &context)
    withExtendedLifetime(callee) {}
}
