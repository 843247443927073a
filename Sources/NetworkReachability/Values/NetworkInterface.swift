// SPDX-License-Identifier: MIT

@_implementationOnly import CReach

/// A network interface, as it was when it was queried.
public struct NetworkInterface: Hashable, Sendable {
    /// The kernel's index, unique within its network namespace.
    public let index: UInt32

    /// The name, for example `eth0`.
    public let name: String

    /// The rtnetlink kind (`veth`, `wireguard`), or nil for a real device.
    public let kind: String?

    /// The kind of network the interface belongs to.
    public let interfaceClass: NetworkInterfaceClass

    /// Whether it can carry a packet.
    public let state: NetworkInterfaceState

    /// Index of the bridge, bond or VRF it belongs to, or nil.
    public let masterIndex: UInt32?

    /// Creates a description of an interface.
    public init(
        index: UInt32, name: String, kind: String? = nil, interfaceClass: NetworkInterfaceClass,
        state: NetworkInterfaceState, masterIndex: UInt32? = nil
    ) {
        self.index = index
        self.name = name
        self.kind = kind
        self.interfaceClass = interfaceClass
        self.state = state
        self.masterIndex = masterIndex
    }

    init(_ interface: reach_interface) {
        let kind = text(of: interface.kind)
        self.init(
            index: interface.index, name: text(of: interface.name), kind: kind.isEmpty ? nil : kind,
            interfaceClass: NetworkInterfaceClass(rawClass: interface.interface_class),
            state: NetworkInterfaceState(rawValue: interface.state),
            masterIndex: interface.master == 0 ? nil : interface.master)
    }
}

extension NetworkInterface: CustomStringConvertible {
    /// Name, index and class, for example `eth0 (2, wiredEthernet)`.
    public var description: String {
        "\(name) (\(index), \(interfaceClass))"
    }
}
