// SPDX-License-Identifier: MIT

/// The modems of the machine, for verdicts on targets in the network namespace of the process.
package enum CellularModems {
    /// Replaces the list for all monitors of that namespace, including later ones, and for one-shot queries.
    ///
    /// Call it on any thread. Managers report changed verdicts like any other change. The list holds 8 modems;
    /// further ones are dropped. It belongs to this process, and is empty in a child of fork().
    ///
    /// - Returns: False if the process has no descriptor left for its loop; then it has no monitors either.
    @discardableResult
    package static func set(_ conditions: [CellularModemCondition]) -> Bool {
        guard let loop = try? MonitorLoop.current() else { return false }
        loop.setKnown { $0.modems = conditions }
        return true
    }
}
