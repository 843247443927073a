// SPDX-License-Identifier: MIT

package import NetworkReachability

/// NetworkManager's view of the network, and whether NetworkManager answers.
///
///     let state = NetworkManager.shared.currentState(timeout: .seconds(1))
///     switch state.availability {
///     case .available: print(state.connectivity, state.metered)
///     case .noDaemon: print("NetworkManager does not run")
///     case .starting: print("no answer yet")
///     case .unavailable(let error): print(error)
///     }
public struct NetworkManagerState: SystemServiceState {
    /// Whether NetworkManager answers; the other members are unknown or empty unless this is
    /// ``SystemServiceAvailability/available``.
    public let availability: SystemServiceAvailability

    /// Whether traffic over the default route is charged.
    public let metered: NetworkManagerMetered

    /// How far packets get over the best device.
    public let connectivity: NetworkManagerConnectivity

    /// Whether NetworkManager checks connectivity with HTTP requests; the administrator decides.
    public let checksConnectivity: Bool

    /// The URI that NetworkManager requests for its check; nil if it isn't known, or longer than 255 bytes.
    ///
    /// Open it in a browser to reach the login page of a captive portal: the portal redirects the request.
    public let checkURI: String?

    /// The devices that have an interface, sorted by interface name.
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

    /// Creates a state without devices, in which the rest is unknown.
    public init(availability: SystemServiceAvailability) {
        self.init(availability: availability, devices: [])
    }

    /// Returns the device of a network interface.
    ///
    /// - Parameter name: The name of the interface, for example `wlan0`.
    /// - Returns: The device; nil if NetworkManager doesn't know the interface.
    public func device(forInterface name: String) -> NetworkManagerDevice? {
        devices.first { $0.interface == name }
    }
}

extension NetworkManagerState {
    /// Whether each interface is metered; tunnels follow the default route.
    ///
    /// Several devices can have the same name (Open vSwitch has a bridge, a port, and an interface). The name is
    /// metered if any of them is.
    package var facts: [InterfaceFacts] {
        let named = devices.filter { !$0.interface.isEmpty }.map { ($0.interface, $0.metered) }
        return (named + [("", metered)]).compactMap { name, metered in
            metered.verdict.flatMap { InterfaceFacts(name: name, isMetered: $0) }
        }
    }

    /// How far packets of a family get over an interface.
    ///
    /// If NetworkManager doesn't report the interface, the value of the machine counts.
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
