// SPDX-License-Identifier: MIT

public import NetworkReachability

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
