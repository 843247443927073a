// SPDX-License-Identifier: MIT

/// The differences from the last reported state of a target that count as a change.
package enum Reporting: Sendable {
    /// Different flags, another interface while a flag is set, or another resolution or other addresses of a name.
    case verdict
    /// Any difference between the snapshots.
    case path
}
