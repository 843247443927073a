// SPDX-License-Identifier: MIT

internal import Foundation
internal import NetworkReachability

/// An error with the status that ``SCError()`` returns for it.
struct StatusError: Error {
    /// A `kSCStatus` value or a positive `errno` value.
    let status: Int32

    static let invalidArgument = StatusError(status: Int32(kSCStatusInvalidArgument))

    /// Calls `body`; if it throws, an argument is not valid.
    static func argument<Value>(
        _ body: () throws(ReachabilityError) -> Value
    ) throws(StatusError) -> Value {
        do { return try body() } catch { throw .invalidArgument }
    }

    /// Calls `body`; if it throws, the error is one of the system.
    static func system<Value>(
        _ body: () throws(ReachabilityError) -> Value
    ) throws(StatusError) -> Value {
        do {
            return try body()
        } catch {
            throw StatusError(status: error.errno?.rawValue ?? Int32(kSCStatusFailed))
        }
    }
}

/// The result of ``SCError()``, for each thread.
enum ThreadStatus {
    /// Nil if the process has no key left: no status is stored then.
    private static let key: pthread_key_t? = {
        var key = pthread_key_t()
        return unsafe pthread_key_create(&key, nil) == 0 ? key : nil
    }()

    static var current: Int32 {
        get {
            guard let key else { return 0 }
            return unsafe Int32(truncatingIfNeeded: Int(bitPattern: pthread_getspecific(key)))
        }
        set {
            guard let key else { return }
            // The number is stored as the pointer itself, so nothing has to be freed.
            unsafe pthread_setspecific(key, UnsafeRawPointer(bitPattern: Int(newValue)))
        }
    }

    /// Whether `body` succeeded; if it throws, the error becomes the status of the thread.
    static func succeeds(_ body: () throws(StatusError) -> Void) -> Bool {
        value { () throws(StatusError) in try body() } != nil
    }

    /// The result of `body`; if it throws, nil, and the error becomes the status of the thread.
    static func value<Value>(_ body: () throws(StatusError) -> Value) -> Value? {
        do throws(StatusError) {
            return try body()
        } catch {
            current = error.status
            return nil
        }
    }

    static func text(of status: Int32) -> UnsafePointer<CChar> {
        if let text = texts[Int(status)] { return unsafe pointer(text) }
        // glibc and musl have static texts for their numbers.
        if (1...lastErrno).contains(status), let text = unsafe strerror(status) {
            return unsafe UnsafePointer(text)
        }
        return unsafe pointer("unknown error code")
    }

    private static func pointer(_ text: StaticString) -> UnsafePointer<CChar> {
        unsafe UnsafeRawPointer(text.utf8Start).assumingMemoryBound(to: CChar.self)
    }

    // EHWPOISON of asm-generic/errno.h, the largest number.
    private static let lastErrno: Int32 = 133

    private static let texts: [Int: StaticString] = [
        kSCStatusOK: "Success!",
        kSCStatusFailed: "Failed!",
        kSCStatusInvalidArgument: "Invalid argument",
        kSCStatusAccessError: "Permission denied",
        kSCStatusNoKey: "No such key",
        kSCStatusKeyExists: "Key already defined",
        kSCStatusLocked: "Lock already held",
        kSCStatusNeedLock: "Lock required for this operation",
        kSCStatusNoStoreSession: "Configuration daemon session not active",
        kSCStatusNoStoreServer: "Configuration daemon not (no longer) available",
        kSCStatusNotifierActive: "Notifier is currently active",
        kSCStatusNoPrefsSession: "Preference session not active",
        kSCStatusPrefsBusy: "Preferences update currently in progress",
        kSCStatusNoConfigFile: "Configuration file not found",
        kSCStatusNoLink: "No such link",
        kSCStatusStale: "Write attempted on stale version of object",
        kSCStatusMaxLink: "Maximum link count exceeded",
        kSCStatusReachabilityUnknown: "Network reachability cannot be determined",
        kSCStatusConnectionNoService: "Network service for connection not available",
        kSCStatusConnectionIgnore: "Network connection information not available at this time",
    ]
}
