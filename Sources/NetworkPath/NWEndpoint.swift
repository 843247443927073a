// SPDX-License-Identifier: MIT

public import NetworkReachability

/// An endpoint of a path, like `NWEndpoint` of Apple's Network framework, as far as paths have them.
public enum NWEndpoint: Hashable, Sendable {
    /// A host.
    public enum Host: Hashable, Sendable {
        /// A host by name.
        case name(String, NWInterface?)
        /// An IPv4 address.
        case ipv4(NetworkAddress)
        /// An IPv6 address.
        case ipv6(NetworkAddress)
    }

    /// A port; 0 for a gateway.
    public struct Port: Hashable, Sendable, RawRepresentable, ExpressibleByIntegerLiteral {
        /// The number.
        public let rawValue: UInt16

        /// Creates a port from its number.
        public init(rawValue: UInt16) {
            self.rawValue = rawValue
        }

        /// Creates a port from its number.
        public init(integerLiteral value: UInt16) {
            rawValue = value
        }
    }

    /// A host and a port.
    case hostPort(host: Host, port: Port)

    init(gateway: NetworkAddress) {
        self = .hostPort(host: gateway.family == .ipv4 ? .ipv4(gateway) : .ipv6(gateway), port: 0)
    }
}

extension NWEndpoint.Host: CustomDebugStringConvertible {
    /// The name or the address.
    public var debugDescription: String {
        switch self {
        case .name(let name, _): name
        case .ipv4(let address), .ipv6(let address): address.description
        }
    }
}

extension NWEndpoint: CustomDebugStringConvertible {
    /// Host and port: `192.0.2.1:0`, for IPv6 `2001:db8::1.0`.
    public var debugDescription: String {
        switch self {
        case .hostPort(.ipv6(let address), let port): "\(address).\(port.rawValue)"
        case .hostPort(let host, let port): "\(host.debugDescription):\(port.rawValue)"
        }
    }
}
