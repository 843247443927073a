// SPDX-License-Identifier: MIT

extension MeteredInterfaces {
    /// Replaces the values of the process.
    ///
    /// They determine ``ReachabilitySnapshot/isMetered`` in one-shot queries and all monitors of the process's
    /// namespace, including later ones. Call it on any thread. Managers report changed snapshots like any other
    /// change. A child of fork() has no values.
    ///
    /// - Returns: False if the process has no descriptor left for its loop. Then it has no monitors either.
    @discardableResult
    package func apply() -> Bool {
        guard let loop = try? MonitorLoop.current() else { return false }
        loop.setKnown { $0.metered = self }
        return true
    }
}
