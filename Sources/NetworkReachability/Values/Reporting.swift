// SPDX-License-Identifier: MIT

@_implementationOnly import CReach

/// Which differences from the last reported state of a target are a change.
package enum Reporting: Sendable {
    /// Of the flags, of the interface while there are flags, and of a name's addresses.
    case verdict
    /// Of anything that a snapshot shows.
    case path

    var cValue: reach_report {
        switch self {
        case .verdict: .REACH_REPORT_VERDICT
        case .path: .REACH_REPORT_PATH
        }
    }
}
