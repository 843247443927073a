// SPDX-License-Identifier: MIT

/// Returns the flags of a target.
///
///     var flags = SCNetworkReachabilityFlags()
///     guard SCNetworkReachabilityGetFlags(target, &flags) else {
///         return print(String(cString: SCErrorString(SCError())))
///     }
///     print(flags.contains(.reachable))
///
/// For a scheduled target, the function returns the flags that were last reported. Otherwise it queries the kernel: for
/// the flags of an address, or for a name, those of the default path. It waits for the kernel, but doesn't resolve
/// names.
///
/// - Parameters:
///   - target: The target.
///   - flags: The flags; untouched on failure.
/// - Returns: Whether the flags are known; if not, `SCError()` returns the reason.
@discardableResult
public func SCNetworkReachabilityGetFlags(
    _ target: SCNetworkReachability, _ flags: UnsafeMutablePointer<SCNetworkReachabilityFlags>
) -> Bool {
    guard let known = ThreadStatus.value({ () throws(StatusError) in try target.flags() }) else {
        return false
    }
    unsafe flags.pointee = known
    return true
}
