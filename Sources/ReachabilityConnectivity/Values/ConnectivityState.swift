// SPDX-License-Identifier: MIT

public import NetworkReachability

/// The connectivity of a target at one moment.
///
///     let state = await monitor.check()
///     print(state.level, state.failure?.description ?? "")
public struct ConnectivityState: Hashable, Sendable {
    /// How far packets get.
    public let level: ConnectivityLevel

    /// Whether the path has changed since ``level`` was probed, and a probe of the new path is due.
    ///
    /// On the same interface, the earlier level is kept meanwhile; on another interface it is
    /// ``ConnectivityLevel/unknown``. Regular probes of an unchanged path don't change the state.
    public let isChecking: Bool

    /// The target's reachability; `unknown` before the first value.
    public let snapshot: ReachabilitySnapshot

    /// Why the level isn't ``ConnectivityLevel/full``; nil if ``level`` and ``snapshot`` say it
    /// all.
    public let failure: ConnectivityFailure?

    /// Creates a state.
    public init(
        level: ConnectivityLevel, snapshot: ReachabilitySnapshot = .unknown,
        isChecking: Bool = false, failure: ConnectivityFailure? = nil
    ) {
        self.level = level
        self.isChecking = isChecking
        self.snapshot = snapshot
        self.failure = failure
    }

    /// The state before the first probe.
    public static let unknown = ConnectivityState(level: .unknown)
}

extension ConnectivityState: CustomStringConvertible {
    /// The level, the failure in parentheses, and `checking` if a probe is due.
    public var description: String {
        let text = failure.map { "\(level) (\($0))" } ?? "\(level)"
        return isChecking ? text + ", checking" : text
    }
}
