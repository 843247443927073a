// SPDX-License-Identifier: MIT

public import NetworkReachability

/// What a service on the system bus has told, and whether it can be asked.
public protocol SystemServiceState: Hashable, Sendable {
    /// Whether the service can be asked; all else is unknown or empty unless it is
    /// ``SystemServiceAvailability/available``.
    var availability: SystemServiceAvailability { get }

    /// A state of which nothing else is known.
    init(availability: SystemServiceAvailability)
}

extension SystemServiceState {
    /// Why the service cannot be asked; nil if it can, or does not run.
    ///
    ///     if let error = CellularRadio.shared.currentState(timeout: .seconds(1)).error {
    ///         print(error.code == .missingLibrary ? "install libsystemd0" : error.description)
    ///     }
    public var error: ReachabilityError? {
        guard case .unavailable(let error) = availability else { return nil }
        return error
    }
}
