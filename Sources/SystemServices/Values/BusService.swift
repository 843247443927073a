// SPDX-License-Identifier: MIT

/// The name of a service in errors and on the bus.
struct BusService: Sendable {
    /// The name of the program, for errors.
    let daemon: String
    /// Its well-known D-Bus name.
    let name: String

    static let modemManager = BusService(
        daemon: "ModemManager", name: "org.freedesktop.ModemManager1")
    static let networkManager = BusService(
        daemon: "NetworkManager", name: "org.freedesktop.NetworkManager")
}
