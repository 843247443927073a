// SPDX-License-Identifier: MIT

public import Foundation

/// Returns the status of the last function of this module that failed on the calling thread.
///
///     if SCNetworkReachabilityCreateWithName(nil, "") == nil {
///         print(String(cString: SCErrorString(SCError())))  // Invalid argument
///     }
///
/// - Returns: A `kSCStatus` value or a positive `errno` value; `kSCStatusOK` if no function has failed. A
///   successful call doesn't change it.
public func SCError() -> Int32 {
    ThreadStatus.current
}

/// Returns the text of a status.
///
/// - Parameter status: A `kSCStatus` value or a positive `errno` value.
/// - Returns: Static, NUL-terminated text; for `errno` values, the text of `strerror()`.
public func SCErrorString(_ status: Int32) -> UnsafePointer<CChar> {
    unsafe ThreadStatus.text(of: status)
}

/// Returns the status of ``SCError()`` as an error, with its text as the localized description.
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
/// An unspecified failure.
public let kSCStatusFailed = 1001
/// An argument is not valid.
public let kSCStatusInvalidArgument = 1002
/// The caller isn't permitted to do this.
public let kSCStatusAccessError = 1003
/// There is no such key.
public let kSCStatusNoKey = 1004
/// The key already exists.
public let kSCStatusKeyExists = 1005
/// The lock is already held.
public let kSCStatusLocked = 1006
/// The operation needs a lock.
public let kSCStatusNeedLock = 1007
/// No session with the configuration daemon is active.
public let kSCStatusNoStoreSession = 2001
/// The configuration daemon is not available.
public let kSCStatusNoStoreServer = 2002
/// A notifier is active.
public let kSCStatusNotifierActive = 2003
/// No session with the preferences is active.
public let kSCStatusNoPrefsSession = 3001
/// The preferences are being updated.
public let kSCStatusPrefsBusy = 3002
/// There is no configuration file.
public let kSCStatusNoConfigFile = 3003
/// There is no such link.
public let kSCStatusNoLink = 3004
/// Another session changed the object.
public let kSCStatusStale = 3005
/// There are too many links.
public let kSCStatusMaxLink = 3006
/// The reachability of a target couldn't be determined.
public let kSCStatusReachabilityUnknown = 4001
/// There is no service for the connection.
public let kSCStatusConnectionNoService = 5001
/// The information isn't available at this time.
public let kSCStatusConnectionIgnore = 5002
