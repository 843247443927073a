// SPDX-License-Identifier: MIT

/// Whether an interface carries packets, and if not, why.
///
/// The raw values are the words that the overview of `reachctl status` prints.
package enum NetworkInterfaceCondition: String, Sendable {
    case usable
    case down
    case dormant
    case noCarrier
    case notRunning
    case dropsAll

    /// The reason, as the end of a line about the interface; nil for a usable one.
    var shortfall: String? {
        switch self {
        case .usable: nil
        case .down: "down"
        case .dormant: "waits for 802.1X, WPA, or a connection"
        case .noCarrier: "no carrier"
        case .notRunning: "carrier, but not running"
        case .dropsAll: "drops all packets (dummy, ifb, or monitor mode)"
        }
    }

    /// The reason for the interface `name`, as a sentence; nil for a usable one.
    func sentence(about name: String) -> String? {
        switch self {
        case .usable: nil
        case .down: "\(name) is down: bring it up, for example with 'ip link set \(name) up'"
        case .dormant: "\(name) waits for 802.1X, WPA, or a connection"
        case .noCarrier: "\(name) has no carrier: the cable is unplugged, or the other end is down"
        case .notRunning: "\(name) has a carrier, but is not running"
        case .dropsAll: "\(name) drops all packets that it is given (dummy, ifb, or monitor mode)"
        }
    }
}

extension NetworkInterfaceState {
    /// The first thing that is missing.
    package var condition: NetworkInterfaceCondition {
        if !contains(.up) { return .down }
        if contains(.dormant) { return .dormant }
        if !contains(.lowerUp) { return .noCarrier }
        if !contains(.running) { return .notRunning }
        return isUsable ? .usable : .dropsAll
    }
}
