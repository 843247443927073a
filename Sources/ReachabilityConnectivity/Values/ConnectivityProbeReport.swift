// SPDX-License-Identifier: MIT

/// One probe that was answered or has failed: what it found, and how long it took.
///
///     for await probe in monitor.probes {
///         print(probe.level, probe.duration, probe.phases[.tls] ?? .zero)
///     }
public struct ConnectivityProbeReport: Hashable, Sendable {
    /// How far packets got.
    public let level: ConnectivityLevel

    /// Why the level is not ``ConnectivityLevel/full``; nil if there is nothing to add to it.
    public let failure: ConnectivityFailure?

    /// How long the probe took in all.
    ///
    /// By the clock that runs while the host is suspended. Waiting for a turn or for a thread is part of it.
    public let duration: Duration

    /// How long each phase took that has ended: of a probe of HTTP those that its URL has, of one of TCP
    /// ``ConnectivityFailure/Phase/connect``, else none.
    public let phases: [ConnectivityFailure.Phase: Duration]

    /// Creates a report, for tests of code that takes them.
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
