// SPDX-License-Identifier: MIT

public import NetworkReachability

/// Whether a service on the system bus can be asked.
///
///     switch CellularRadio.shared.currentState(timeout: .seconds(1)).availability {
///     case .available: print("ModemManager runs")
///     case .noDaemon: print("ModemManager does not run")
///     case .starting: print("no answer yet")
///     case .unavailable(let error): print(error)
///     }
public enum SystemServiceAvailability: Hashable, Sendable {
    /// There is no answer yet.
    case starting
    /// The service runs.
    case available
    /// The bus works, and the service does not run.
    case noDaemon
    /// libsystemd, the bus, or an answer of the service is missing; it is tried again.
    case unavailable(ReachabilityError)
}
