// SPDX-License-Identifier: MIT

/// A device, with the latest values from NetworkManager.
///
///     for device in NetworkManager.shared.currentState(timeout: .seconds(1)).devices where device.isActivated {
///         print(device.interface, device.metered, device.connectivity)
///     }
public struct NetworkManagerDevice: Hashable, Sendable, Identifiable {
    /// The D-Bus object path, unique among the devices of the machine until NetworkManager restarts.
    public let id: String

    /// The name of the network interface that has the addresses, in NetworkManager's network namespace.
    public let interface: String

    /// Whether traffic is charged.
    public let metered: NetworkManagerMetered

    /// How far IPv4 packets get; unknown before NetworkManager 1.16.
    public let ipv4Connectivity: NetworkManagerConnectivity

    /// How far IPv6 packets get; unknown before NetworkManager 1.16.
    public let ipv6Connectivity: NetworkManagerConnectivity

    /// Whether a connection is active on the device (`NM_DEVICE_STATE_ACTIVATED`).
    public let isActivated: Bool

    /// Creates a description of a device.
    public init(
        id: String, interface: String, metered: NetworkManagerMetered = .unknown,
        ipv4Connectivity: NetworkManagerConnectivity = .unknown,
        ipv6Connectivity: NetworkManagerConnectivity = .unknown, isActivated: Bool = true
    ) {
        self.id = id
        self.interface = interface
        self.metered = metered
        self.ipv4Connectivity = ipv4Connectivity
        self.ipv6Connectivity = ipv6Connectivity
        self.isActivated = isActivated
    }

    /// How far packets get over the better of the two families.
    public var connectivity: NetworkManagerConnectivity {
        ipv4Connectivity.rawValue > ipv6Connectivity.rawValue ? ipv4Connectivity : ipv6Connectivity
    }
}
