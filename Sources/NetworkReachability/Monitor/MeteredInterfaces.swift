// SPDX-License-Identifier: MIT

/// The interfaces of which something outside of the kernel tells whether traffic is charged, in the network
/// namespace of the process.
package enum MeteredInterfaces {
    /// Replaces the set, by name of the interface; one that is not in it has no value.
    ///
    /// By name, so that one that appears later, is renamed or returns with another index has its own value,
    /// whether it came to the kernel's knowledge or to that of the source first.
    ///
    /// ``ReachabilitySnapshot/isMetered`` has the value in all monitors of that namespace, also in those that
    /// are opened later, and in one-shot queries. Any thread. The targets whose snapshot changes are reported
    /// as after any other change. The set is of this process, empty in a child of fork().
    ///
    /// - Returns: False if the process has no descriptor left for its loop; then it has no monitors either.
    @discardableResult
    package static func set(_ metered: [String: Bool]) -> Bool {
        guard let loop = try? MonitorLoop.current() else { return false }
        loop.setMetered(metered)
        return true
    }
}

extension ReachabilitySnapshot {
    /// The snapshot with the value of its interface in `metered`; nil if that is the one it has.
    func changed(by metered: [String: Bool]) -> ReachabilitySnapshot? {
        let isMetered = interface.flatMap { metered[$0.name] }
        guard isMetered != self.isMetered else { return nil }
        var new = self
        new.isMetered = isMetered
        return new
    }
}
