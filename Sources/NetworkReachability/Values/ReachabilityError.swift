// SPDX-License-Identifier: MIT

/// Why something cannot be watched.
///
/// ``description`` names what was given and what to do about it; ``code`` is for `switch` and `==`.
public struct ReachabilityError: Error, Hashable, Sendable {
    /// What went wrong.
    ///
    /// New codes may be added.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        /// The name of the code, for example `emptyName`.
        public let description: String

        /// A name was expected and nothing was given, or a URL without a host.
        public static let emptyName = Code(description: "emptyName")
        /// A name has more than 253 characters, or more than 63 between two dots.
        public static let nameTooLong = Code(description: "nameTooLong")
        /// A name is followed by a port; reachability has nothing to do with ports.
        public static let nameWithPort = Code(description: "nameWithPort")
        /// A name has a character that no host name has.
        public static let invalidName = Code(description: "invalidName")
        /// Text or bytes are not an address.
        public static let invalidAddress = Code(description: "invalidAddress")
        /// An address is neither IPv4 nor IPv6.
        public static let unsupportedFamily = Code(description: "unsupportedFamily")
        /// There is no such interface.
        public static let unknownInterface = Code(description: "unknownInterface")
        /// Text cannot be the name of an interface.
        public static let invalidInterface = Code(description: "invalidInterface")
        /// The parts of a target do not go together.
        public static let invalidTarget = Code(description: "invalidTarget")
        /// Text cannot be the name of a network namespace.
        public static let invalidNamespace = Code(description: "invalidNamespace")
        /// There is no such network namespace.
        public static let namespaceNotFound = Code(description: "namespaceNotFound")
        /// The file is no network namespace.
        public static let notANamespace = Code(description: "notANamespace")
        /// A privilege is missing.
        public static let notPermitted = Code(description: "notPermitted")
        /// The kernel, or a sandbox around the process, has no rtnetlink.
        public static let unsupportedByKernel = Code(description: "unsupportedByKernel")
        /// The kernel, or a sandbox around the process, announces no changes: nothing can be watched.
        ///
        /// What asks once still works, as ``NetworkReachabilityManager/currentSnapshot()`` and
        /// ``NetworkInterface/all(in:)``.
        public static let watchingUnsupported = Code(description: "watchingUnsupported")
        /// Memory or file descriptors ran out.
        public static let outOfResources = Code(description: "outOfResources")
        /// Anything else the system refused; see ``ReachabilityError/errno``.
        public static let system = Code(description: "system")
    }

    /// What went wrong.
    public let code: Code

    /// What was given, as it was given, or nil if nothing was.
    public let input: String?

    /// What the system answered, or nil if it was not asked.
    public let errno: ReachabilityErrno?

    /// What went wrong and what to do about it, in one line.
    public let description: String

    init(_ code: Code, input: String? = nil, errno: ReachabilityErrno? = nil, _ description: String)
    {
        self.code = code
        self.input = input
        self.errno = errno
        self.description = description
    }
}

extension ReachabilityError: CustomStringConvertible {}
