// SPDX-License-Identifier: MIT

internal import ReachLibc

/// An error that says why a target can't be monitored or queried.
///
///     do throws(ReachabilityError) {
///         let manager = try NetworkReachabilityManager(domain: "www.example.com:443")
///         try manager.startMonitoring()
///     } catch {
///         print(error.code == .nameWithPort ? "leave the port out" : error.description)
///     }
///
/// ``description`` quotes the input and says what to do. ``code`` is for `switch` and `==`.
public struct ReachabilityError: Error, Hashable, Sendable {
    /// What went wrong.
    ///
    /// New codes may be added.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        /// The name of the code, for example `emptyName`.
        public let description: String

        package init(description: String) {
            self.description = description
        }

        /// A host name is empty, or a URL has no host.
        public static let emptyName = Code(description: "emptyName")
        /// A name has more than 253 characters, or more than 63 between two dots.
        public static let nameTooLong = Code(description: "nameTooLong")
        /// A host name is followed by a port; reachability does not depend on ports.
        public static let nameWithPort = Code(description: "nameWithPort")
        /// A host name has a character that host names can't have.
        public static let invalidName = Code(description: "invalidName")
        /// A string, or a sequence of bytes, is not an address.
        public static let invalidAddress = Code(description: "invalidAddress")
        /// An address is neither IPv4 nor IPv6.
        public static let unsupportedFamily = Code(description: "unsupportedFamily")
        /// There is no such interface.
        public static let unknownInterface = Code(description: "unknownInterface")
        /// A string can't be the name of an interface.
        public static let invalidInterface = Code(description: "invalidInterface")
        /// The parts of a target contradict each other, for example two address families.
        public static let invalidTarget = Code(description: "invalidTarget")
        /// A string can't be the name of a network namespace.
        public static let invalidNamespace = Code(description: "invalidNamespace")
        /// There is no such network namespace.
        public static let namespaceNotFound = Code(description: "namespaceNotFound")
        /// While it was monitored, the network namespace was deleted or replaced at its path, or its process ended.
        public static let namespaceReplaced = Code(description: "namespaceReplaced")
        /// The file is not a network namespace.
        public static let notANamespace = Code(description: "notANamespace")
        /// A privilege is missing.
        public static let notPermitted = Code(description: "notPermitted")
        /// The system isn't Linux, so nothing can be monitored or queried.
        public static let unsupportedSystem = Code(description: "unsupportedSystem")
        /// The kernel, or a sandbox around the process, has no rtnetlink.
        public static let unsupportedByKernel = Code(description: "unsupportedByKernel")
        /// The kernel, or a sandbox around the process, refuses the multicast groups of rtnetlink.
        ///
        /// Monitoring isn't possible. Single queries still work: ``NetworkReachabilityManager/currentSnapshot()``,
        /// ``NetworkReachabilityManager/check(timeout:)``, and ``NetworkInterface/all(in:)``; and so does a wait
        /// that the current state ends.
        public static let watchingUnsupported = Code(description: "watchingUnsupported")
        /// Memory or file descriptors ran out.
        public static let outOfResources = Code(description: "outOfResources")
        /// A wait reached its timeout.
        public static let timedOut = Code(description: "timedOut")
        /// The task that waited was cancelled.
        ///
        /// It replaces `CancellationError`, which a function with typed `throws` can't throw.
        public static let cancelled = Code(description: "cancelled")
        /// Any other error of the system; see ``ReachabilityError/errno``.
        public static let system = Code(description: "system")
    }

    /// What went wrong.
    public let code: Code

    /// The rejected input, unchanged; nil if there was none.
    public let input: String?

    /// The error of the system call that failed; nil if none was made.
    public let errno: ReachabilityErrno?

    /// The cause and what to do about it, in one line.
    public let description: String

    /// Creates an error for a test that makes a manager fail.
    ///
    /// - Parameters:
    ///   - code: What went wrong.
    ///   - input: The input that was bad, if any.
    ///   - errno: The error of the system call, if one was made.
    ///   - description: The cause and what to do about it, in one line.
    public init(
        _ code: Code, input: String? = nil, errno: ReachabilityErrno? = nil, _ description: String
    ) {
        self.code = code
        self.input = input
        self.errno = errno
        self.description = description
    }
}

extension ReachabilityError: CustomStringConvertible {}

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
    public static var notPermitted: Self { Self(rawValue: EPERM) }

    /// `ENOENT`: there is no such file.
    public static var noSuchFile: Self { Self(rawValue: ENOENT) }

    /// `ESRCH`: there is no such process.
    public static var noSuchProcess: Self { Self(rawValue: ESRCH) }

    /// `ENOMEM`: memory ran out.
    public static var outOfMemory: Self { Self(rawValue: ENOMEM) }

    /// `EACCES`: permission denied; in the answer to a lookup, a route or rule of type prohibit.
    public static var permissionDenied: Self { Self(rawValue: EACCES) }

    /// `ENODEV`: there is no such interface.
    public static var noSuchDevice: Self { Self(rawValue: ENODEV) }

    /// `EINVAL`: invalid argument; in the answer to a lookup, a route or rule of type blackhole.
    public static var invalidArgument: Self { Self(rawValue: EINVAL) }

    /// `EMFILE`: the process has too many open files.
    public static var tooManyOpenFiles: Self { Self(rawValue: EMFILE) }

    /// `ENFILE`: the system has too many open files.
    public static var tooManyOpenFilesInSystem: Self { Self(rawValue: ENFILE) }

    /// `ENAMETOOLONG`: a name is too long.
    public static var nameTooLong: Self { Self(rawValue: ENAMETOOLONG) }

    /// `EAFNOSUPPORT`: the address family is not supported.
    public static var addressFamilyNotSupported: Self { Self(rawValue: EAFNOSUPPORT) }

    /// `EPROTONOSUPPORT`: the protocol is not supported.
    public static var protocolNotSupported: Self { Self(rawValue: EPROTONOSUPPORT) }

    /// `ENETUNREACH`: there is no route.
    public static var networkUnreachable: Self { Self(rawValue: ENETUNREACH) }

    /// `EHOSTUNREACH`: there is a route of type unreachable.
    public static var hostUnreachable: Self { Self(rawValue: EHOSTUNREACH) }
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
    static var notSupported: Self { Self(rawValue: EOPNOTSUPP) }

    /// `EDESTADDRREQ`: a name is empty.
    static var destinationRequired: Self { Self(rawValue: EDESTADDRREQ) }

    /// `EILSEQ`: a name has bytes beyond ASCII.
    static var illegalBytes: Self { Self(rawValue: EILSEQ) }

    /// The monitored namespace was replaced (`ESTALE`).
    static var stale: Self { Self(rawValue: ESTALE) }

    /// A system call isn't available (`ENOSYS`).
    static var notImplemented: Self { Self(rawValue: ENOSYS) }

    /// `EAGAIN`: `pthread_create()` has reached the limit of threads.
    static var tryAgain: Self { Self(rawValue: EAGAIN) }

    /// Throws if the result of a C function is a negative errno.
    @discardableResult
    static func check(_ result: CInt) throws(ReachabilityErrno) -> CInt {
        guard result >= 0 else { throw ReachabilityErrno(rawValue: -result) }
        return result
    }
}
