// SPDX-License-Identifier: MIT

package import NetworkReachability

/// Whether a service on the bus can be asked.
package enum BusAvailability: Hashable, Sendable {
    /// There is no answer yet.
    case starting
    /// The service runs.
    case available
    /// The bus works, and the service does not run.
    case noDaemon
    /// Something is missing; it is tried again.
    case unavailable(BusFailure)
}

/// Why a service cannot be asked.
package struct BusFailure: Hashable, Sendable {
    package enum Code: Hashable, Sendable {
        /// `libsystemd.so.0` cannot be loaded.
        case missingLibrary
        /// The same in a static executable.
        case staticExecutable
        case noBus
        case refused
        case outOfResources
    }

    package let code: Code
    package let errno: ReachabilityErrno

    package init(_ code: Code, _ errno: ReachabilityErrno) {
        self.code = code
        self.errno = errno
    }

    /// The cause and what to do about it, in one line.
    ///
    /// - Parameters:
    ///   - subject: What is not known, for example "the modems".
    ///   - daemon: The program, for example "ModemManager".
    ///   - name: Its name on the bus.
    /// - Returns: The line.
    package func description(of subject: String, daemon: String, name: String) -> String {
        switch code {
        case .staticExecutable:
            "a static executable cannot load libsystemd; link the program dynamically"
        case .missingLibrary:
            "libsystemd.so.0 (version 237 or later) cannot be loaded; install it, "
                + "with 'apt-get install libsystemd0' on Debian"
        case .noBus:
            """
            the D-Bus system bus cannot be reached (\(errno)); start it on the host, in a container \
            mount its socket /run/dbus/system_bus_socket, or set DBUS_SYSTEM_BUS_ADDRESS to a unix: \
            address
            """
        case .refused:
            """
            \(daemon) does not answer (\(errno)); allow the user \(name) in the \
            policy of the bus, or restart \(daemon)
            """
        case .outOfResources:
            "\(subject) cannot be watched (\(errno)); raise the limits of the process"
        }
    }
}
