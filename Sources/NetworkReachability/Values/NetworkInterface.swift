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
    /// The ports of a bridge or a bond pass their packets to it. Those of a VRF use its table.
    package func canBeExit(among all: [NetworkInterface]) -> Bool {
        isUsable && interfaceClass != .loopback && !ownAddresses.isEmpty
            && (masterIndex == nil || all.contains { $0.index == masterIndex && $0.kind == "vrf" })
    }

    /// The usable addresses that aren't link-local.
    package var ownAddresses: [NetworkAddress] {
        addresses.filter(\.isUsable).map(\.address).filter { !$0.isLinkLocal }
    }

    /// The addresses of the interface: IPv4 before IPv6, each in numeric order.
    public let addresses: [Address]

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
