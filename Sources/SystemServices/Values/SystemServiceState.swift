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
