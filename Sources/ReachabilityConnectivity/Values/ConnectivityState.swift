// SPDX-License-Identifier: MIT

public import NetworkReachability

/// The connectivity of a target at one moment.
///
///     let state = await monitor.check()
///     print(state.level, state.failure?.description ?? "")
public struct ConnectivityState: Hashable, Sendable {
    /// How far packets get.
    public let level: ConnectivityLevel

    /// The state of the target by the routing table; `unknown` before the first value.
    public let snapshot: ReachabilitySnapshot

    /// Why the level is not ``ConnectivityLevel/full``; nil if there is nothing to add to ``level`` and
    /// ``snapshot``.
    public let failure: ConnectivityFailure?

    /// Creates a state.
    public init(
        level: ConnectivityLevel, snapshot: ReachabilitySnapshot = .unknown,
        failure: ConnectivityFailure? = nil
    ) {
        self.level = level
        self.snapshot = snapshot
        self.failure = failure
    }

    /// The state while nothing was asked.
    public static let unknown = ConnectivityState(level: .unknown)
}

extension ConnectivityState: CustomStringConvertible {
    /// The level, and the failure in parentheses.
    public var description: String {
        failure.map { "\(level) (\($0))" } ?? "\(level)"
    }
}
