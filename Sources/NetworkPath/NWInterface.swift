// SPDX-License-Identifier: MIT

#if !canImport(Network)
// Apple's Network re-exports Dispatch, so clients name queues without importing it.
@unsafe @preconcurrency @_exported public import Dispatch
internal import NetworkReachability

/// An interface that a path can use, like `NWInterface` of Apple's Network framework.
///
/// Interfaces with equal names and indices are equal.
public struct NWInterface: Sendable {
    /// The type of an interface.
    public enum InterfaceType: Hashable, Sendable {
        /// Any other type, for example a tunnel, PPP, or a link between containers.
        case other
        /// IEEE 802.11.
        case wifi
        /// A modem.
        case cellular
        /// Wired Ethernet.
        case wiredEthernet
        /// The loopback interface.
        case loopback
    }

    /// The type.
    ///
    /// It comes from the kernel's description of the device, never from its name.
    public let type: InterfaceType

    /// The name, for example `eth0`.
    public let name: String

    /// The kernel's index.
    public let index: Int

    init(_ interface: NetworkInterface) {
        type = InterfaceType(interface.interfaceClass)
        name = interface.name
        index = Int(interface.index)
    }

    init(_ interface: ReachabilitySnapshot.Interface) {
        type = InterfaceType(interface.interfaceClass)
        name = interface.name
        index = Int(interface.index)
    }
}

extension NWInterface: Hashable {
    /// Whether name and index are equal.
    public static func == (one: NWInterface, other: NWInterface) -> Bool {
        one.index == other.index && one.name == other.name
    }

    /// Hashes name and index.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(index)
        hasher.combine(name)
    }
}

extension NWInterface.InterfaceType {
    init(_ interfaceClass: NetworkInterfaceClass) {
        switch interfaceClass {
        case .wifi: self = .wifi
        case .cellular: self = .cellular
        case .wiredEthernet: self = .wiredEthernet
        case .loopback: self = .loopback
        case .vpn, .ppp, .virtual, .other: self = .other
        }
    }

    /// The word for the type in Apple's description of a path.
    var words: String {
        switch self {
        case .other: "other"
        case .wifi: "wifi"
        case .cellular: "cell"
        case .wiredEthernet: "wired"
        case .loopback: "lo0"
        }
    }
}

extension NWInterface: CustomDebugStringConvertible {
    /// The name.
    public var debugDescription: String { name }
}
#endif
