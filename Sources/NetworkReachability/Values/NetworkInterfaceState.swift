// SPDX-License-Identifier: MIT

/// The state of an interface, as a set of bits.
///
///     for interface in try NetworkInterface.all() where interface.state.contains(.up) {
///         print(interface.name, interface.state.contains(.lowerUp) ? "has a carrier" : "has no carrier")
///     }
public struct NetworkInterfaceState: OptionSet, Hashable, Sendable {
    /// The bits of `enum reach_interface_state` of the C library.
    public let rawValue: UInt32

    /// Creates a state from its bits.
    public init(rawValue: UInt32) {
        self.rawValue = rawValue
    }

    /// Administratively up (`IFF_UP`).
    public static let up = NetworkInterfaceState(rawValue: 1 << 0)

    /// Operational (`IFF_RUNNING`).
    public static let running = NetworkInterfaceState(rawValue: 1 << 1)

    /// The lower layer has a carrier (`IFF_LOWER_UP`).
    public static let lowerUp = NetworkInterfaceState(rawValue: 1 << 2)

    /// Dormant: waits for an external event such as 802.1X, WPA, or dialing (`IF_OPER_DORMANT`, RFC 2863).
    public static let dormant = NetworkInterfaceState(rawValue: 1 << 3)

    /// Point to point (`IFF_POINTOPOINT`).
    public static let pointToPoint = NetworkInterfaceState(rawValue: 1 << 4)

    /// Whether the interface can carry packets: it is ``up``, ``running``, and ``lowerUp``, and doesn't drop them all.
    ///
    /// A dummy or ifb device and a Wi-Fi interface in monitor mode drop all packets.
    public var isUsable: Bool {
        contains(NetworkInterfaceState(rawValue: 1 << 5))
    }

    /// Not available: a usable interface has other bits too, so a state is never equal to this one.
    @available(*, unavailable, renamed: "isUsable")
    public static var usable: NetworkInterfaceState { [] }
}
