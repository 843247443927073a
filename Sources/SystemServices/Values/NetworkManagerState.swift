// SPDX-License-Identifier: MIT

package import NetworkReachability

/// What NetworkManager knows of the network, and whether it can be asked.
///
///     let state = NetworkManager.shared.currentState(timeout: .seconds(1))
///     switch state.availability {
///     case .available: print(state.connectivity, state.metered)
///     case .noDaemon: print("NetworkManager does not run")
///     case .starting: print("no answer yet")
///     case .unavailable(let error): print(error)
///     }
public struct NetworkManagerState: SystemServiceState {
    /// Whether NetworkManager can be asked; all else is unknown or empty unless it is
    /// ``SystemServiceAvailability/available``.
    public let availability: SystemServiceAvailability

    /// Whether traffic over the default route is charged.
    public let metered: NetworkManagerMetered

    /// How far packets get at best.
    public let connectivity: NetworkManagerConnectivity

    /// Whether NetworkManager checks the connectivity with an HTTP request of its own, which an
    /// administrator turns on and off.
    public let checksConnectivity: Bool

    /// The URI that it checks with; nil if it is not known or longer than 255 bytes.
    ///
    /// A browser that opens it is redirected by a captive portal.
    public let checkURI: String?

    /// The devices that have an interface, sorted by its name.
    public let devices: [NetworkManagerDevice]

    /// Creates a state.
    public init(
        availability: SystemServiceAvailability, metered: NetworkManagerMetered = .unknown,
        connectivity: NetworkManagerConnectivity = .unknown, checksConnectivity: Bool = false,
        checkURI: String? = nil, devices: [NetworkManagerDevice] = []
    ) {
        self.availability = availability
        self.metered = metered
        self.connectivity = connectivity
        self.checksConnectivity = checksConnectivity
        self.checkURI = checkURI
        self.devices = devices
    }

    /// Creates a state of which nothing but the availability is known.
    public init(availability: SystemServiceAvailability) {
        self.init(availability: availability, devices: [])
    }

    /// The device of a network interface.
    ///
    /// - Parameter name: The name of the interface, for example `wlan0`.
    /// - Returns: The device; nil if NetworkManager does not know the interface.
    public func device(forInterface name: String) -> NetworkManagerDevice? {
        devices.first { $0.interface == name }
    }
}

extension NetworkManagerState {
    /// The interfaces that are metered, and those that are not, by name; tunnels follow the default route.
    ///
    /// Several devices can have one name (Open vSwitch has a bridge, a port and an interface): one that is
    /// metered counts.
    package var meteredInterfaces: MeteredInterfaces {
        let byName: [String: Bool] = devices.reduce(into: [:]) { metered, device in
            guard let isMetered = device.metered.verdict else { return }
            metered[device.interface] = metered[device.interface] == true || isMetered
        }
        return MeteredInterfaces(byName: byName, tunnels: metered.verdict)
    }

    /// How far packets of a family get over an interface; where NetworkManager does not tell that of the
    /// interface, that of the machine.
    package func connectivity(
        ofInterface name: String?, family: NetworkAddress.Family?
    ) -> NetworkManagerConnectivity {
        let levels = devices.filter { $0.interface == name }.map { device in
            switch family {
            case .ipv4: device.ipv4Connectivity
            case .ipv6: device.ipv6Connectivity
            default: device.connectivity
            }
        }
        return levels.first { $0 != .unknown } ?? connectivity
    }
}
