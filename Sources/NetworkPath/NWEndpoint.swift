// SPDX-License-Identifier: MIT

#if !canImport(Network)
internal import NetworkReachability

/// An endpoint of a path, like `NWEndpoint` of Apple's Network framework.
///
/// A path's only endpoints are its gateways, so you always receive a ``hostPort(host:port:)``. The other cases exist
/// so that a `switch` that names them compiles.
public enum NWEndpoint: Hashable, Sendable {
    /// A host.
    public enum Host: Hashable, Sendable {
        /// A host by name.
        case name(String, NWInterface?)
        /// An IPv4 address.
        case ipv4(IPv4Address)
        /// An IPv6 address.
        case ipv6(IPv6Address)

        /// Creates a host from a numeric address or a name.
        ///
        /// The name isn't resolved. An IPv4-mapped address is an IPv4 host.
        public init(_ string: String) {
            let address = IPv6Address(string)
            let mapped = address?.isIPv4Mapped == true ? address?.asIPv4 : nil
            self =
                (mapped ?? IPv4Address(string)).map(Host.ipv4) ?? address.map(Host.ipv6)
                ?? .name(string, nil)
        }

        /// The interface that the host belongs to, if any.
        public var interface: NWInterface? {
            switch self {
            case .name(_, let interface): interface
            case .ipv4(let address): address.interface
            case .ipv6(let address): address.interface
            }
        }
    }

    /// A port; 0 for a gateway.
    public struct Port: Hashable, Sendable, RawRepresentable {
        /// Any port, 0.
        public static let any: Port = 0
        /// Port 80.
        public static let http: Port = 80
        /// Port 443.
        public static let https: Port = 443

        /// The number.
        public let rawValue: UInt16

        /// Creates a port from its number; never nil.
        public init?(rawValue: UInt16) {
            self.rawValue = rawValue
        }

        /// Creates a port from a number in decimal, `http`, or `https`; nil for other services.
        public init?(_ service: String) {
            switch service {
            case "http": self = .http
            case "https": self = .https
            default:
                guard let number = UInt16(service) else { return nil }
                self.init(integerLiteral: number)
            }
        }
    }

    /// A host and a port.
    case hostPort(host: Host, port: Port)
    /// A Bonjour service; no path has one.
    case service(name: String, type: String, domain: String, interface: NWInterface?)
    /// The path of a Unix domain socket; no network path has one.
    case unix(path: String)
    /// A URL, as text; no path has one.
    case url(String)

    init(gateway: NetworkAddress, over interface: NWInterface?) {
        let host: Host =
            switch gateway.family {
            case .ipv4: .ipv4(IPv4Address(gateway))
            case .ipv6: .ipv6(IPv6Address(gateway, over: gateway.isLinkLocal ? interface : nil))
            }
        self = .hostPort(host: host, port: .any)
    }

    /// The interface that the endpoint belongs to, if any.
    public var interface: NWInterface? {
        switch self {
        case .hostPort(let host, _): host.interface
        case .service(_, _, _, let interface): interface
        case .unix, .url: nil
        }
    }
}

extension NWEndpoint.Host: ExpressibleByStringLiteral {
    /// Creates a host, like ``init(_:)``.
    public init(stringLiteral value: String) {
        self.init(value)
    }
}

extension NWEndpoint.Host: CustomDebugStringConvertible {
    /// The name or the address, followed by its interface if there is one.
    public var debugDescription: String {
        switch self {
        case .name(let name, let interface): name + (interface.map { "%\($0.name)" } ?? "")
        case .ipv4(let address): address.debugDescription
        case .ipv6(let address): address.debugDescription
        }
    }
}

extension NWEndpoint.Port: ExpressibleByIntegerLiteral {
    /// Creates a port from its number.
    public init(integerLiteral value: UInt16) {
        rawValue = value
    }
}

extension NWEndpoint.Port: CustomDebugStringConvertible {
    /// The number.
    public var debugDescription: String { "\(rawValue)" }
}

extension NWEndpoint: CustomDebugStringConvertible {
    /// Host and port: `192.0.2.1:0`, or `2001:db8::1.0` for IPv6.
    public var debugDescription: String {
        switch self {
        case .hostPort(.ipv6(let address), let port): "\(address).\(port)"
        case .hostPort(let host, let port): "\(host):\(port)"
        case .service(let name, let type, let domain, _): "\(name).\(type).\(domain)"
        case .unix(let path): path
        case .url(let text): text
        }
    }
}
#endif
