// SPDX-License-Identifier: MIT

internal import CReach

/// The differences from the last reported state of a target that count as a change.
package enum Reporting: Sendable {
    /// Differences of the flags, of the interface while a flag is set, and of the addresses of a name.
    case verdict
    /// Any difference of a snapshot.
    case path

    var cValue: reach_report {
        switch self {
        case .verdict: .REACH_REPORT_VERDICT
        case .path: .REACH_REPORT_PATH
        }
    }
}
