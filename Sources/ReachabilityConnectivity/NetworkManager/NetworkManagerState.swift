// SPDX-License-Identifier: MIT

package import NetworkReachability
package import SystemBus

/// What NetworkManager knows of the network, and whether it can be asked.
///
///     let state = NetworkManager.shared.currentState()
///     switch state.availability {
///     case .available: print(state.connectivity, state.metered)
///     case .noDaemon: print("NetworkManager does not run")
///     case .starting: print("no answer yet")
///     case .unavailable(let error): print(error)
///     }
public struct NetworkManagerState: Hashable, Sendable {
    /// Whether NetworkManager can be asked.
    public enum Availability: Hashable, Sendable {
        /// There is no answer yet.
        case starting
        /// NetworkManager runs.
        case available
        /// The bus works, and NetworkManager does not run.
        case noDaemon
        /// libsystemd, the bus or an answer of NetworkManager is missing; it is tried again.
        case unavailable(NetworkManagerError)
    }

    /// Whether NetworkManager can be asked; all else is unknown or empty unless it is
    /// ``Availability/available``.
    public let availability: Availability

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
        availability: Availability, metered: NetworkManagerMetered = .unknown,
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

    /// The state before the first answer.
    static let starting = NetworkManagerState(availability: .starting)

    /// Why NetworkManager cannot be asked; nil if it can, or does not run.
    public var error: NetworkManagerError? {
        guard case .unavailable(let error) = availability else { return nil }
        return error
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
    /// The state that NetworkManager told.
    package init(_ report: NetworkManagerReport) {
        let availability: Availability =
            switch report.availability {
            case .starting: .starting
            case .available: .available
            case .noDaemon: .noDaemon
            case .unavailable(let failure): .unavailable(NetworkManagerError(failure))
            }
        self.init(
            availability: availability,
            metered: NetworkManagerMetered(rawValue: report.metered) ?? .unknown,
            connectivity: NetworkManagerConnectivity(rawValue: report.connectivity) ?? .unknown,
            checksConnectivity: report.checks,
            checkURI: report.checkURI.isEmpty ? nil : report.checkURI,
            devices: report.devices.map(NetworkManagerDevice.init))
    }

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
