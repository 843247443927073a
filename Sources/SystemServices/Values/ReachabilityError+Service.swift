// SPDX-License-Identifier: MIT

public import NetworkReachability

extension ReachabilityError.Code {
    /// `libsystemd.so.0` is not installed, or the program is a static executable.
    public static let missingLibrary = Self(description: "missingLibrary")
    /// The connection to the system bus failed or ended.
    public static let noBus = Self(description: "noBus")
    /// A service on the system bus refused to answer, or didn't answer in time.
    public static let refused = Self(description: "refused")
}

extension ReachabilityError {
    static func missingLibrary(_ errno: ReachabilityErrno, isStatic: Bool) -> Self {
        Self(
            .missingLibrary, errno: errno,
            isStatic
                ? "a static executable cannot load libsystemd; link the program dynamically"
                : "libsystemd.so.0 (version 237 or later) cannot be loaded; install it, "
                    + "with 'apt-get install libsystemd0' on Debian")
    }

    static func noBus(_ errno: ReachabilityErrno) -> Self {
        Self(
            .noBus, errno: errno,
            """
            the D-Bus system bus cannot be reached (\(errno)); start it on the host, in a container \
            mount its socket /run/dbus/system_bus_socket, or set DBUS_SYSTEM_BUS_ADDRESS to a unix: \
            address
            """)
    }

    static func refused(by service: BusService, _ errno: ReachabilityErrno) -> Self {
        Self(
            .refused, errno: errno,
            """
            \(service.daemon) does not answer (\(errno)); allow the user \(service.name) in the \
            policy of the bus, or restart \(service.daemon)
            """)
    }

    static func outOfResources(_ service: BusService, _ errno: ReachabilityErrno) -> Self {
        Self(
            .outOfResources, errno: errno,
            "\(service.daemon) cannot be watched (\(errno)); raise the limits of the process")
    }
}
