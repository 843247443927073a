// SPDX-License-Identifier: MIT

/// How often a ``ConnectivityMonitor`` asks.
///
///     var options = ConnectivityOptions()
///     options.interval = .seconds(60)
///     let monitor = try ConnectivityMonitor(probe: .custom { _ in .full }, options: options)
///     print(await monitor.check().level)
///
/// All times go on while the host is suspended: what is due then is asked after the resume. Each of
/// ``interval`` and the times that grow from ``retryInterval`` is changed by up to 10 % at random, so that
/// many hosts do not ask at the same moment. A time of more than 365 days is 365 days; a negative one, or an
/// interval of less than 10 milliseconds, is the least that is possible.
public struct ConnectivityOptions: Hashable, Sendable {
    /// From an answer to the next question, while the level is full and the path does not change; 300
    /// seconds, as in NetworkManager, unless it is changed.
    public var interval = Duration.seconds(300)

    /// The same after any other answer, doubled with each up to ``interval``; 5 seconds unless it is
    /// changed.
    public var retryInterval = Duration.seconds(5)

    /// How long the path has to be unchanged before it is asked; 200 milliseconds unless it is changed.
    ///
    /// While it changes without end it is asked every ten times that.
    public var debounceInterval = Duration.milliseconds(200)

    /// Creates the standard options.
    public init() {}
}
