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
    #if canImport(CSystemBus)
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
    #endif

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

/// Whether traffic is charged, with the values of `NMMetered`.
///
///     let device = NetworkManager.shared.currentState(timeout: .seconds(1)).device(forInterface: "wlan0")
///     if device?.metered.isMetered == true { print("no large downloads") }
public enum NetworkManagerMetered: UInt32, Hashable, Sendable, CaseIterable {
    /// Not known.
    case unknown = 0
    /// The connection is configured as metered (`connection.metered`).
    case yes = 1
    /// The connection is configured as not metered.
    case no = 2
    /// A guess: the device is a modem, or the access point or DHCP server identifies itself as a phone.
    case guessYes = 3
    /// A guess: nothing suggests that traffic is charged.
    case guessNo = 4

    /// Whether traffic is charged, guesses included; nil if it isn't known.
    public var isMetered: Bool? {
        switch self {
        case .unknown: nil
        case .yes, .guessYes: true
        case .no, .guessNo: false
        }
    }

    /// The value for snapshots.
    ///
    /// NetworkManager reports ``guessNo`` for every device without other evidence, such as tunnels, and modems
    /// that it takes for Ethernet. The class of the interface is better evidence.
    var verdict: Bool? { self == .guessNo ? nil : isMetered }
}

extension NetworkManagerMetered: CustomStringConvertible {
    /// `unknown`, `yes`, `no`, `guess-yes`, or `guess-no`.
    public var description: String {
        ["unknown", "yes", "no", "guess-yes", "guess-no"][Int(rawValue)]
    }
}

/// How far packets get according to NetworkManager, with the values of `NMConnectivityState`.
///
///     let state = NetworkManager.shared.currentState(timeout: .seconds(1))
///     if state.connectivity == .portal { print("log in to the network") }
///
/// If NetworkManager doesn't check (``NetworkManagerState/checksConnectivity``), it reports ``full`` for a
/// network with a default route.
public enum NetworkManagerConnectivity: UInt32, Hashable, Sendable, CaseIterable {
    /// Not known, or not checked yet.
    case unknown = 0
    /// No network.
    case noNetwork = 1
    /// A captive portal.
    case portal = 2
    /// A network without internet access.
    case limited = 3
    /// Internet access.
    case full = 4
}
