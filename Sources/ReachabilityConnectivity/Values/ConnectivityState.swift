// SPDX-License-Identifier: MIT

public import NetworkReachability

/// The connectivity of a target at one moment.
///
///     let state = await monitor.check()
///     print(state.level, state.failure?.description ?? "")
public struct ConnectivityState: Hashable, Sendable {
    /// How far packets get.
    public let level: ConnectivityLevel

    /// Whether the path has changed since ``level`` was probed, and the probe of the new path is still to
    /// come.
    ///
    /// While the interface stays the same, the level of the earlier path is kept meanwhile; over another
    /// interface it is ``ConnectivityLevel/unknown``. Probes of an unchanged path, at intervals, are no
    /// changes of the state.
    public let isChecking: Bool

    /// The state of the target by the routing table; `unknown` before the first value.
    public let snapshot: ReachabilitySnapshot

    /// Why the level is not ``ConnectivityLevel/full``; nil if there is nothing to add to ``level`` and
    /// ``snapshot``.
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

    /// The state while nothing was asked.
    public static let unknown = ConnectivityState(level: .unknown)
}

extension ConnectivityState: CustomStringConvertible {
    /// The level, the failure in parentheses, and `checking` if a probe is to come.
    public var description: String {
        let text = failure.map { "\(level) (\($0))" } ?? "\(level)"
        return isChecking ? text + ", checking" : text
    }
}
