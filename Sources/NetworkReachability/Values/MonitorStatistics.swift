// SPDX-License-Identifier: MIT

/// Counters of a monitor since it was opened.
///
///     if let statistics = try NetworkHost.statistics() {
///         print("\(statistics.events) events, \(statistics.lookups) lookups, \(statistics.overruns) overruns")
///     }
///
/// All managers of a network namespace share a monitor. It opens when the first target is monitored, and closes
/// five seconds after the last one is stopped. The counters of the next monitor begin at 0.
public struct MonitorStatistics: Hashable, Sendable {
    /// Event messages from the kernel that were applied: links, addresses, routes, and rules.
    public var events: UInt64 = 0

    /// Route lookups (`RTM_GETROUTE`).
    public var lookups: UInt64 = 0

    /// Barriers, which precede lookups: the kernel answers one after it has carried out an announced change.
    public var barriers: UInt64 = 0

    /// Losses of events for any reason; after each, the monitor dumps and looks up everything again.
    public var overruns: UInt64 = 0

    /// Dumps of links and addresses, including the first.
    public var dumps: UInt64 = 0

    /// Malformed messages, which count as losses.
    public var malformed: UInt64 = 0

    /// Ignored datagrams from senders other than the kernel.
    public var spoofed: UInt64 = 0

    /// Reported changes of targets.
    public var changes: UInt64 = 0

    /// Calls of the resolver.
    public var resolutions: UInt64 = 0

    /// Wake-ups that found something to do.
    public var wakeups: UInt64 = 0

    /// States corrected by a confirming lookup some time after an event.
    ///
    /// On kernels up to Linux 7.3, the newest tested, these are only changes that the kernel never announces: it
    /// chooses among routers, and among the next hops of an IPv6 route, by their neighbors. Where IPv6 rules select by
    /// protocol, a change of rules may count too.
    public var corrections: UInt64 = 0

    /// Changes of the interfaces and their addresses.
    var interfaceChanges: UInt64 = 0

    /// Creates counters that are all 0.
    public init() {}
}
