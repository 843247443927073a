// SPDX-License-Identifier: MIT

/// What NetworkManager told last; numbers are those of nm-dbus-interface.h.
package struct NetworkManagerReport: BusReport {
    package struct Device: Hashable, Sendable {
        /// D-Bus object path.
        package let path: String
        package let interface: String
        /// `NMMetered`.
        package let metered: UInt32
        /// `NMConnectivityState`, by family.
        package let ipv4: UInt32
        package let ipv6: UInt32
        /// `NMDeviceState`.
        package let state: UInt32
    }

    package static let service = BusServices.networkManager
    package static var channel: Channel { \.networkManager }

    package let availability: BusAvailability
    /// `NMMetered` of the primary connection.
    package var metered: UInt32 = 0
    /// `NMConnectivityState`.
    package var connectivity: UInt32 = 0
    /// Whether it checks the connectivity.
    package var checks = false
    /// The URI that it checks with; empty if it is not known.
    package var checkURI = ""
    /// Those with an interface, sorted by its name.
    package var devices: [Device] = []

    package init(_ availability: BusAvailability) {
        self.availability = availability
    }
}
