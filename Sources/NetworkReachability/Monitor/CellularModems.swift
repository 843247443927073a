// SPDX-License-Identifier: MIT

/// The modems of the machine, for verdicts on targets in the network namespace of the process.
package enum CellularModems {
    /// Replaces the list; all monitors of that namespace get it, also those that are opened later, and
    /// one-shot queries.
    ///
    /// Any thread. Managers are told of changed verdicts as of any other change. Of more than 8 modems the
    /// last ones are dropped, and the list is of this process, empty in a child of fork().
    ///
    /// - Returns: False if the process has no descriptor left for its loop; then it has no monitors either.
    @discardableResult
    package static func set(_ conditions: [CellularModemCondition]) -> Bool {
        guard let loop = try? MonitorLoop.current() else { return false }
        loop.setKnown { $0.modems = conditions }
        return true
    }
}
