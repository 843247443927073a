// SPDX-License-Identifier: MIT

/// How often a ``ConnectivityMonitor`` probes.
///
///     var options = ConnectivityOptions()
///     options.interval = .seconds(60)
///     let monitor = try ConnectivityMonitor(probe: .custom { _ in .full }, options: options)
///     print(await monitor.check().level)
///
/// Timers keep running while the host is suspended; a probe that falls due meanwhile is sent after
/// the resume. ``interval`` and the times that grow from ``retryInterval`` vary by up to 10 % at
/// random, so that many hosts don't probe at the same moment. All values are limited to 365 days.
/// Intervals are at least 10 milliseconds, and ``debounceInterval`` is at least zero.
public struct ConnectivityOptions: Hashable, Sendable {
    /// Time from a `full` result to the next probe of an unchanged path; by default 300 seconds, as
    /// in NetworkManager.
    public var interval = Duration.seconds(300)

    /// Time to the next probe after any other result; by default 5 seconds.
    ///
    /// It doubles with each such result, up to ``interval``.
    public var retryInterval = Duration.seconds(5)

    /// How long the path must stay unchanged before it is probed; by default 200 milliseconds.
    ///
    /// A path that keeps changing is probed after ten times this duration.
    public var debounceInterval = Duration.milliseconds(200)

    /// Creates options with the defaults.
    public init() {}
}
