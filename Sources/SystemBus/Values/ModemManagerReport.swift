// SPDX-License-Identifier: MIT

/// What ModemManager told last.
package struct ModemManagerReport: BusReport {
    /// A modem; numbers are those of ModemManager-enums.h.
    package struct Modem: Hashable, Sendable {
        /// D-Bus object path.
        package let path: String
        package let state: Int32
        package let accessTechnologies: UInt32
        package let operatorName: String
        /// MCC and MNC.
        package let operatorCode: String
        /// Percent, nil if it is not known.
        package let signal: UInt32?
        package let isSignalRecent: Bool
        package let registration: UInt32
        package let lock: UInt32
        package let power: UInt32
        package let failedReason: UInt32
        package let interfaces: [String]
        /// Empty for none.
        package let dataInterface: String
    }

    package static let service = BusServices.modemManager
    package static var channel: Channel { \.modemManager }

    package let availability: BusAvailability
    /// Sorted by path; empty unless it is available.
    package let modems: [Modem]

    package init(_ availability: BusAvailability) {
        self.init(availability, [])
    }

    init(_ availability: BusAvailability, _ modems: [Modem]) {
        self.availability = availability
        self.modems = modems
    }
}
