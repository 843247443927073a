// SPDX-License-Identifier: MIT

public import Foundation

/// The status of the last function of this module that failed on the calling thread.
///
/// - Returns: One of the `kSCStatus` values, or a positive `errno` value. A call that succeeds leaves it
///   as it is; without a failure it is `kSCStatusOK`.
public func SCError() -> Int32 {
    ThreadStatus.current
}

/// The text of a status.
///
/// - Parameter status: A `kSCStatus` value or a positive `errno` value.
/// - Returns: Static text, NUL-terminated; for `errno` values the C library's.
public func SCErrorString(_ status: Int32) -> UnsafePointer<CChar> {
    unsafe ThreadStatus.text(of: status)
}

/// The status of ``SCError()`` as an error, with its text as the localised description.
public func SCCopyLastError() -> CFError {
    let status = SCError()
    let text = unsafe String(cString: SCErrorString(status))
    return NSError(
        domain: kCFErrorDomainSystemConfiguration.description, code: Int(status),
        userInfo: [NSLocalizedDescriptionKey: text])
}

/// The domain of the errors of ``SCCopyLastError()``.
public var kCFErrorDomainSystemConfiguration: CFString { "com.apple.SystemConfiguration" }

/// No failure.
public let kSCStatusOK = 0
/// A failure of no other kind.
public let kSCStatusFailed = 1001
/// An argument is not valid.
public let kSCStatusInvalidArgument = 1002
/// The caller lacks a permission.
public let kSCStatusAccessError = 1003
/// There is no such key.
public let kSCStatusNoKey = 1004
/// The key is there already.
public let kSCStatusKeyExists = 1005
/// The lock is held already.
public let kSCStatusLocked = 1006
/// The operation needs a lock.
public let kSCStatusNeedLock = 1007
/// The session with the configuration daemon is not active.
public let kSCStatusNoStoreSession = 2001
/// The configuration daemon is not there.
public let kSCStatusNoStoreServer = 2002
/// A notifier is active.
public let kSCStatusNotifierActive = 2003
/// The session with the preferences is not active.
public let kSCStatusNoPrefsSession = 3001
/// The preferences are being updated.
public let kSCStatusPrefsBusy = 3002
/// There is no configuration file.
public let kSCStatusNoConfigFile = 3003
/// There is no such link.
public let kSCStatusNoLink = 3004
/// The object was changed by somebody else.
public let kSCStatusStale = 3005
/// There are too many links.
public let kSCStatusMaxLink = 3006
/// The reachability of a target could not be determined.
public let kSCStatusReachabilityUnknown = 4001
/// There is no service for the connection.
public let kSCStatusConnectionNoService = 5001
/// The information is not available at this time.
public let kSCStatusConnectionIgnore = 5002
