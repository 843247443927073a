// SPDX-License-Identifier: MIT

/// Returns the flags of a target.
///
///     var flags = SCNetworkReachabilityFlags()
///     guard SCNetworkReachabilityGetFlags(target, &flags) else {
///         return print(String(cString: SCErrorString(SCError())))
///     }
///     print(flags.contains(.reachable))
///
/// An address that is not scheduled is queried; a name that is not scheduled has the flags of the default
/// path, and is not resolved. A scheduled target has the flags that were reported last. The call waits for
/// the kernel only.
///
/// - Parameters:
///   - target: The target.
///   - flags: The flags; untouched on failure.
/// - Returns: Whether the flags are known; if not, `SCError()` is the reason.
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
