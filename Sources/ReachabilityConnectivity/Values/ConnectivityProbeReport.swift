// SPDX-License-Identifier: MIT

/// One completed probe: its result and its time.
///
///     for await probe in monitor.probes {
///         print(probe.level, probe.duration, probe.phases[.tls] ?? .zero)
///     }
public struct ConnectivityProbeReport: Hashable, Sendable {
    /// How far packets got.
    public let level: ConnectivityLevel

    /// Why the level isn't ``ConnectivityLevel/full``; nil if there is nothing to add.
    public let failure: ConnectivityFailure?

    /// The total time of the probe.
    ///
    /// It includes suspension of the host, and waiting for a turn or a thread.
    public let duration: Duration

    /// The time of each completed phase: for HTTP the phases of its URL, for TCP
    /// ``ConnectivityFailure/Phase/connect``, else none.
    public let phases: [ConnectivityFailure.Phase: Duration]

    /// Creates a report, for tests of code that receives them.
    public init(
        level: ConnectivityLevel, failure: ConnectivityFailure? = nil, duration: Duration = .zero,
        phases: [ConnectivityFailure.Phase: Duration] = [:]
    ) {
        self.level = level
        self.failure = failure
        self.duration = duration
        self.phases = phases
    }
}
