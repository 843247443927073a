// SPDX-License-Identifier: MIT

internal import ReachLibc

/// An error number of the operating system, always positive.
///
///     let snapshot = try manager.currentSnapshot()
///     if snapshot.error == .networkUnreachable { print("the kernel has no route") }
///
/// The package defines its own type, so that it needs neither Foundation nor swift-system.
public struct ReachabilityErrno: RawRepresentable, Error, Hashable, Sendable {
    /// The number in `errno.h`, for example 2 for `ENOENT`.
    public let rawValue: CInt

    /// Creates an error from a positive error number.
    public init(rawValue: CInt) {
        self.rawValue = rawValue
    }

    /// `EPERM`: the operation requires a privilege.
    public static var notPermitted: ReachabilityErrno { ReachabilityErrno(rawValue: EPERM) }

    /// `ENOENT`: there is no such file.
    public static var noSuchFile: ReachabilityErrno { ReachabilityErrno(rawValue: ENOENT) }

    /// `ESRCH`: there is no such process.
    public static var noSuchProcess: ReachabilityErrno { ReachabilityErrno(rawValue: ESRCH) }

    /// `ENOMEM`: memory ran out.
    public static var outOfMemory: ReachabilityErrno { ReachabilityErrno(rawValue: ENOMEM) }

    /// `EACCES`: permission denied; in the answer to a lookup, a route or rule of type prohibit.
    public static var permissionDenied: ReachabilityErrno { ReachabilityErrno(rawValue: EACCES) }

    /// `ENODEV`: there is no such interface.
    public static var noSuchDevice: ReachabilityErrno { ReachabilityErrno(rawValue: ENODEV) }

    /// `EINVAL`: invalid argument; in the answer to a lookup, a route or rule of type blackhole.
    public static var invalidArgument: ReachabilityErrno { ReachabilityErrno(rawValue: EINVAL) }

    /// `EMFILE`: the process has too many open files.
    public static var tooManyOpenFiles: ReachabilityErrno { ReachabilityErrno(rawValue: EMFILE) }

    /// `ENFILE`: the system has too many open files.
    public static var tooManyOpenFilesInSystem: ReachabilityErrno {
        ReachabilityErrno(rawValue: ENFILE)
    }

    /// `ENAMETOOLONG`: a name is too long.
    public static var nameTooLong: ReachabilityErrno { ReachabilityErrno(rawValue: ENAMETOOLONG) }

    /// `EAFNOSUPPORT`: the address family is not supported.
    public static var addressFamilyNotSupported: ReachabilityErrno {
        ReachabilityErrno(rawValue: EAFNOSUPPORT)
    }

    /// `EPROTONOSUPPORT`: the protocol is not supported.
    public static var protocolNotSupported: ReachabilityErrno {
        ReachabilityErrno(rawValue: EPROTONOSUPPORT)
    }

    /// `ENETUNREACH`: there is no route.
    public static var networkUnreachable: ReachabilityErrno {
        ReachabilityErrno(rawValue: ENETUNREACH)
    }

    /// `EHOSTUNREACH`: there is a route of type unreachable.
    public static var hostUnreachable: ReachabilityErrno {
        ReachabilityErrno(rawValue: EHOSTUNREACH)
    }
}

extension ReachabilityErrno: CustomStringConvertible {
    /// The text of `strerror()`, in the language of the process's locale.
    public var description: String {
        // strerror() is thread-safe in glibc since 2.32 and in musl, although POSIX does not require it.
        guard let text = unsafe strerror(rawValue) else { return "error \(rawValue)" }
        return unsafe String(cString: text)
    }
}

extension ReachabilityErrno {
    /// `errno` of the calling thread.
    package static var current: ReachabilityErrno {
        ReachabilityErrno(rawValue: errno)
    }

    /// `EOPNOTSUPP`: the kernel or a sandbox refused the multicast groups to `reach_monitor_open()`.
    static var notSupported: ReachabilityErrno { ReachabilityErrno(rawValue: EOPNOTSUPP) }

    /// `EDESTADDRREQ`: a name is empty.
    static var destinationRequired: ReachabilityErrno { ReachabilityErrno(rawValue: EDESTADDRREQ) }

    /// `EILSEQ`: a name has bytes beyond ASCII.
    static var illegalBytes: ReachabilityErrno { ReachabilityErrno(rawValue: EILSEQ) }

    /// The monitored namespace was replaced (`ESTALE`).
    static var stale: ReachabilityErrno { ReachabilityErrno(rawValue: ESTALE) }

    /// A system call isn't available (`ENOSYS`).
    static var notImplemented: ReachabilityErrno { ReachabilityErrno(rawValue: ENOSYS) }

    /// `EAGAIN`: `pthread_create()` has reached the limit of threads.
    static var tryAgain: ReachabilityErrno { ReachabilityErrno(rawValue: EAGAIN) }

    /// Throws if the result of a C function is a negative errno.
    @discardableResult
    static func check(_ result: CInt) throws(ReachabilityErrno) -> CInt {
        guard result >= 0 else { throw ReachabilityErrno(rawValue: -result) }
        return result
    }
}
