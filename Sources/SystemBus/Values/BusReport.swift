// SPDX-License-Identifier: MIT

/// A set of services.
package struct BusServices: OptionSet, Sendable {
    /// A mask of `1 << system_bus_service`.
    package let rawValue: UInt32

    package init(rawValue: UInt32) {
        self.rawValue = rawValue
    }

    package static let modemManager = BusServices(rawValue: 1 << 0)
    package static let networkManager = BusServices(rawValue: 1 << 1)
}

/// What a service told last.
package protocol BusReport: Hashable, Sendable {
    typealias Channel = WritableKeyPath<BusLoop.State, BusChannel<Self>>

    static var service: BusServices { get }
    /// Where the loop keeps it.
    static var channel: Channel { get }

    var availability: BusAvailability { get }

    /// A report without anything of the service.
    init(_ availability: BusAvailability)
}
