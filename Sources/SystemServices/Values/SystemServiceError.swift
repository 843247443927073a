// SPDX-License-Identifier: MIT

public import NetworkReachability

/// Why a service on the system bus cannot be asked.
///
///     if let error = CellularRadio.shared.currentState(timeout: .seconds(1)).error {
///         print(error.code == .missingLibrary ? "install libsystemd0" : error.description)
///     }
///
/// ``description`` names the cause and what to do about it; ``code`` is for `switch` and `==`.
public struct SystemServiceError: Error, Hashable, Sendable {
    /// What went wrong.
    ///
    /// New codes may be added.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        /// The name of the code, for example `missingLibrary`.
        public let description: String

        /// `libsystemd.so.0` is not installed, or the program is a static executable.
        public static let missingLibrary = Code(description: "missingLibrary")
        /// The bus cannot be reached, or the connection to it ended.
        public static let noBus = Code(description: "noBus")
        /// The service refused to answer, or did not in time.
        public static let refused = Code(description: "refused")
        /// Memory, threads or file descriptors ran out.
        public static let outOfResources = Code(description: "outOfResources")
    }

    /// What went wrong.
    public let code: Code

    /// The error of the system call.
    public let errno: ReachabilityErrno

    /// The cause and what to do about it, in one line.
    public let description: String

    init(_ code: Code, _ errno: ReachabilityErrno, _ description: String) {
        self.code = code
        self.errno = errno
        self.description = description
    }
}

extension SystemServiceError: CustomStringConvertible {}

extension SystemServiceError {
    static func missingLibrary(_ errno: ReachabilityErrno, isStatic: Bool) -> Self {
        Self(
            .missingLibrary, errno,
            isStatic
                ? "a static executable cannot load libsystemd; link the program dynamically"
                : "libsystemd.so.0 (version 237 or later) cannot be loaded; install it, "
                    + "with 'apt-get install libsystemd0' on Debian")
    }

    static func noBus(_ errno: ReachabilityErrno) -> Self {
        Self(
            .noBus, errno,
            """
            the D-Bus system bus cannot be reached (\(errno)); start it on the host, in a container \
            mount its socket /run/dbus/system_bus_socket, or set DBUS_SYSTEM_BUS_ADDRESS to a unix: \
            address
            """)
    }

    static func refused(by service: BusService, _ errno: ReachabilityErrno) -> Self {
        Self(
            .refused, errno,
            """
            \(service.daemon) does not answer (\(errno)); allow the user \(service.name) in the \
            policy of the bus, or restart \(service.daemon)
            """)
    }

    static func outOfResources(_ service: BusService, _ errno: ReachabilityErrno) -> Self {
        Self(
            .outOfResources, errno,
            "\(service.daemon) cannot be watched (\(errno)); raise the limits of the process")
    }
}
