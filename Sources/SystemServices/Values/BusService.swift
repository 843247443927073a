// SPDX-License-Identifier: MIT

/// A service, by the words for it in errors.
struct BusService: Sendable {
    /// What runs.
    let daemon: String
    /// The name that it owns on the bus.
    let name: String

    static let modemManager = BusService(
        daemon: "ModemManager", name: "org.freedesktop.ModemManager1")
    static let networkManager = BusService(
        daemon: "NetworkManager", name: "org.freedesktop.NetworkManager")
}
