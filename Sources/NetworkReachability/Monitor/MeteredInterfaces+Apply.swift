// SPDX-License-Identifier: MIT

extension MeteredInterfaces {
    /// Replaces the values of the process.
    ///
    /// ``ReachabilitySnapshot/isMetered`` has the value in all monitors of that namespace, including later ones,
    /// and in one-shot queries. Call it on any thread. Targets whose snapshot changes are reported as after any
    /// other change. The values belong to this process; a child of fork() has none.
    ///
    /// - Returns: False if the process has no descriptor left for its loop; then it has no monitors either.
    @discardableResult
    package func apply() -> Bool {
        guard let loop = try? MonitorLoop.current() else { return false }
        loop.setKnown { $0.metered = self }
        return true
    }
}
