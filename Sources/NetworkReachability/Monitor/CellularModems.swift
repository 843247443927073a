// SPDX-License-Identifier: MIT

/// The modems of the machine, for verdicts on targets in the network namespace of the process.
package enum CellularModems {
    /// Replaces the list for one-shot queries and all monitors of the process's namespace, including later ones.
    ///
    /// Call it on any thread. Managers report changed verdicts like any other change. The list holds 8 modems;
    /// further ones are dropped. It is empty in a child of fork().
    ///
    /// - Returns: False if the process has no descriptor left for its loop. Then it has no monitors either.
    @discardableResult
    package static func set(_ conditions: [CellularModemCondition]) -> Bool {
        guard let loop = try? MonitorLoop.current() else { return false }
        loop.setKnown { $0.modems = conditions }
        return true
    }
}
