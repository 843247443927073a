// SPDX-License-Identifier: MIT

/// A network interface at the time of the query.
///
///     for interface in try NetworkInterface.all() where interface.isUsable {
///         let addresses = interface.addresses.map(\.description).joined(separator: ", ")
///         print(interface.name, interface.interfaceClass, addresses)
///     }
public struct NetworkInterface: Hashable, Sendable {
    /// An address of an interface.
    public struct Address: Hashable, Sendable {
        /// The address; for link-local IPv6, ``NetworkAddress/scopeID`` is the index of the interface.
        public let address: NetworkAddress

        /// The prefix length of its subnet, in bits.
        public let prefixLength: Int

        /// Whether packets can be sent from the address.
        ///
        /// False if duplicate address detection found another host, or is still running and not optimistic (RFC 4429).
        public let isUsable: Bool

        /// Creates a description of an address.
        public init(address: NetworkAddress, prefixLength: Int, isUsable: Bool = true) {
            self.address = address
            self.prefixLength = prefixLength
            self.isUsable = isUsable
        }
    }

    /// The kernel's index, unique within its network namespace.
    public let index: UInt32

    /// The name, for example `eth0`.
    public let name: String

    /// The rtnetlink kind, for example `veth` or `wireguard`; nil for a hardware device.
    public let kind: String?

    /// The kind of network the interface belongs to.
    public let interfaceClass: NetworkInterfaceClass

    /// The state of the interface.
    public let state: NetworkInterfaceState

    /// Whether the interface can carry packets; see ``NetworkInterfaceState/isUsable``.
    public var isUsable: Bool { state.isUsable }

    /// The index of the bridge, bond, or VRF that the interface belongs to; nil for none.
    public let masterIndex: UInt32?

    /// Whether a socket that is bound to the interface may reach the internet.
    ///
    /// The ports of a bridge or a bond pass their packets to it. Those of a VRF use its table. An interface without an
    /// address of its own, as on a router with BGP unnumbered, counts while its index is in `used`.
    package func canBeExit(among all: [NetworkInterface], used: Set<UInt32> = []) -> Bool {
        isUsable && interfaceClass != .loopback && (used.contains(index) || !ownAddresses.isEmpty)
            && (masterIndex == nil || all.contains { $0.index == masterIndex && $0.kind == "vrf" })
    }

    /// The usable addresses that aren't link-local.
    package var ownAddresses: [NetworkAddress] {
        addresses.filter(\.isUsable).map(\.address).filter { !$0.isLinkLocal }
    }

    /// The addresses of the interface: IPv4 before IPv6, each in numeric order.
    public let addresses: [Address]

    /// What the kernel reports of the network below a VLAN or a tunnel.
    package struct Lower: Hashable, Sendable {
        /// The interface below; nil for none.
        var index: UInt32?
        /// Whether the interface belongs to another network namespace, which routes a tunnel's packets.
        var isElsewhere = false
        /// The target whose path the packets of a tunnel take; nil if the kernel doesn't report their destination.
        var path: ReachabilityTarget?

        package init(
            index: UInt32? = nil, isElsewhere: Bool = false, path: ReachabilityTarget? = nil
        ) {
            self.index = index
            self.isElsewhere = isElsewhere
            self.path = path
        }
    }

    package var lower = Lower()

    /// Whether the interface puts packets into packets of its own, which another interface sends.
    package var isTunnel: Bool {
        interfaceClass == .vpn || kind == "vxlan" || kind == "geneve"
    }

    /// Creates a description of an interface.
    public init(
        index: UInt32, name: String, kind: String? = nil, interfaceClass: NetworkInterfaceClass,
        state: NetworkInterfaceState, masterIndex: UInt32? = nil, addresses: [Address] = []
    ) {
        self.index = index
        self.name = name
        self.kind = kind
        self.interfaceClass = interfaceClass
        self.state = state
        self.masterIndex = masterIndex
        self.addresses = addresses
    }
}

extension NetworkInterface: CustomStringConvertible {
    /// Name, index, and class, for example `eth0 (2, wiredEthernet)`.
    public var description: String {
        "\(name) (\(index), \(interfaceClass))"
    }
}

extension NetworkInterface.Address: CustomStringConvertible {
    /// Address and prefix length, for example `192.0.2.1/24`.
    public var description: String { "\(address)/\(prefixLength)" }
}

/// The class of an interface, determined from rtnetlink and sysfs, never from its name.
///
///     let target = ReachabilityTarget.internet.with(interfaceClass: .wifi, .wiredEthernet)
///     let snapshot = try NetworkReachabilityManager(target: target).currentSnapshot()
///     print(snapshot.interface?.interfaceClass ?? .other)
///
/// The raw values are the names that `reachctl` prints.
public enum NetworkInterfaceClass: String, Hashable, Sendable, CaseIterable, Codable {
    /// None of the others, for example a monitoring tap.
    case other
    /// The loopback interface.
    case loopback
    /// Wired Ethernet.
    case wiredEthernet
    /// IEEE 802.11.
    case wifi
    /// A modem: WWAN core, QMI, MBIM, or a USB modem.
    case cellular
    /// WireGuard, tun, IPsec, and other tunnels.
    case vpn
    /// PPP; the kernel does not report whether it is DSL or a modem.
    case ppp
    /// veth, dummy, tap, and bridges or bonds without a physical port.
    case virtual
}

extension NetworkInterfaceClass {
    /// Whether a device of the host has this class.
    var isPhysical: Bool { place < 3 }

    /// The rank among interfaces that the kernel doesn't prefer, in NetworkManager's order of preference.
    var place: Int {
        switch self {
        case .wiredEthernet: 0
        case .wifi: 1
        case .cellular: 2
        case .other, .loopback, .vpn, .ppp, .virtual: 3
        }
    }
}

extension NetworkInterfaceClass: CustomStringConvertible {
    /// The raw value.
    public var description: String { rawValue }
}

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
}

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
    /// The names of the bits that are set, except ``isUsable``.
    package var names: [String] {
        let all: [(NetworkInterfaceState, String)] = [
            (.up, "up"), (.running, "running"), (.lowerUp, "lowerUp"), (.dormant, "dormant"),
            (.pointToPoint, "pointToPoint"),
        ]
        return all.filter { contains($0.0) }.map(\.1)
    }

    /// The first thing that is missing.
    package var condition: NetworkInterfaceCondition {
        if !contains(.up) { return .down }
        if contains(.dormant) { return .dormant }
        if !contains(.lowerUp) { return .noCarrier }
        if !contains(.running) { return .notRunning }
        return isUsable ? .usable : .dropsAll
    }
}
