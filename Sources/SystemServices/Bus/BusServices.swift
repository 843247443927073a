// SPDX-License-Identifier: MIT

/// A set of services.
struct BusServices: OptionSet, Sendable {
    /// A mask of `1 << system_bus_service`.
    let rawValue: UInt32

    init(rawValue: UInt32) {
        self.rawValue = rawValue
    }

    static let modemManager = BusServices(rawValue: 1 << 0)
    static let networkManager = BusServices(rawValue: 1 << 1)
}
