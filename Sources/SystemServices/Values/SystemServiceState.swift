// SPDX-License-Identifier: MIT

public import NetworkReachability

/// The latest report of a service on the system bus, and whether the service answers.
public protocol SystemServiceState: Hashable, Sendable {
    /// Whether the service answers; the other members are unknown or empty unless this is
    /// ``SystemServiceAvailability/available``.
    var availability: SystemServiceAvailability { get }

    /// Creates a state in which everything but the availability is unknown.
    init(availability: SystemServiceAvailability)
}

extension SystemServiceState {
    /// Why the service isn't available; nil if it is available, starting, or doesn't run.
    ///
    ///     if let error = CellularRadio.shared.currentState(timeout: .seconds(1)).error {
    ///         print(error.code == .missingLibrary ? "install libsystemd0" : error.description)
    ///     }
    public var error: ReachabilityError? {
        guard case .unavailable(let error) = availability else { return nil }
        return error
    }
}

/// Whether a service on the system bus answers.
///
///     switch CellularRadio.shared.currentState(timeout: .seconds(1)).availability {
///     case .available: print("ModemManager runs")
///     case .noDaemon: print("ModemManager does not run")
///     case .starting: print("no answer yet")
///     case .unavailable(let error): print(error)
///     }
public enum SystemServiceAvailability: Hashable, Sendable {
    /// The service hasn't answered yet.
    case starting
    /// The service runs and answers.
    case available
    /// The bus works, but the service doesn't run.
    case noDaemon
    /// libsystemd, the bus, or an answer of the service is missing. The library tries again.
    case unavailable(ReachabilityError)
}

/// The name of a service in errors and on the bus.
struct BusService: Sendable {
    /// The name of the program, for errors.
    let daemon: String
    /// Its well-known D-Bus name.
    let name: String

    static let modemManager = BusService(
        daemon: "ModemManager", name: "org.freedesktop.ModemManager1")
    static let networkManager = BusService(
        daemon: "NetworkManager", name: "org.freedesktop.NetworkManager")
}

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
