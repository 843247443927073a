// SPDX-License-Identifier: MIT

/// The differences from the last reported state of a target that count as a change.
package enum Reporting: Sendable {
    /// Differences of the flags, of the interface while a flag is set, and of the addresses of a name.
    case verdict
    /// Any difference of a snapshot.
    case path
}
