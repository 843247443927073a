// SPDX-License-Identifier: MIT

#if !canImport(Network)
internal import NetworkReachability

/// The state of the network for new connections, like `NWPath` of Apple's Network framework.
///
///     for await path in NWPathMonitor() {
///         print(path.status == .satisfied ? "online" : "offline", path.isExpensive)
///     }
///
/// All members describe the same moment. Two paths are equal if new connections would be the same. Addresses and name
/// servers count, although no member shows them.
public struct NWPath: Hashable, Sendable {
    /// Whether connections can be made.
    public enum Status: Hashable, Sendable {
        /// Packets to the internet can be sent.
        case satisfied
        /// Packets to the internet can't be sent.
        case unsatisfied
        /// Packets can be sent after a link is dialed, for example by a modem that connects on traffic.
        case requiresConnection
    }

    /// Why a path is not satisfied.
    public enum UnsatisfiedReason: Hashable, Sendable {
        /// No reason is known. Every path on Linux has this value, because Linux denies no application an interface.
        case notAvailable
        /// Cellular data is denied to the application.
        case cellularDenied
        /// Wi-Fi is denied to the application.
        case wifiDenied
        /// The local network is denied to the application.
        case localNetworkDenied
        /// A required VPN is not active.
        case vpnInactive
    }

    /// The quality of the link.
    public enum LinkQuality: Hashable, Sendable {
        /// Not known. Every path on Linux has this value.
        case unknown
        /// Barely usable.
        case minimal
        /// Moderate.
        case moderate
        /// Good.
        case good
    }

    /// Whether connections can be made.
    public let status: Status

    /// Why the path is not satisfied.
    public var unsatisfiedReason: UnsatisfiedReason { .notAvailable }

    /// The interfaces that new connections can use, the preferred first; empty unless the path is satisfied.
    ///
    /// The interfaces that new connections do use come first. Others follow if connections that are bound to them can
    /// reach the internet: wired, Wi-Fi, cellular, then the rest. Within a type they're sorted by index.
    public let availableInterfaces: [NWInterface]

    /// Whether a route to the internet uses a modem, or an interface that NetworkManager reports as metered.
    ///
    /// For a tunnel, the interface that carries it counts, unless NetworkManager reports on the tunnel.
    public let isExpensive: Bool

    /// Whether the user turned on a low data mode.
    ///
    /// Always false: Linux has no such setting.
    public var isConstrained: Bool { false }

    /// Whether the network carries very little data, for example over a satellite.
    ///
    /// Always false: Linux can't tell.
    public var isUltraConstrained: Bool { false }

    /// Whether IPv4 packets to the internet can be sent.
    public let supportsIPv4: Bool

    /// Whether IPv6 packets to the internet can be sent.
    public let supportsIPv6: Bool

    /// Whether a name server is configured and can be reached.
    public let supportsDNS: Bool

    /// The next hops to the internet, with port 0: those in use, the one for IPv4 first, then those of the other
    /// available interfaces.
    public let gateways: [NWEndpoint]

    /// The quality of the link; always ``LinkQuality/unknown``.
    public var linkQuality: LinkQuality { .unknown }

    /// The local endpoint of a connection.
    ///
    /// Always nil: a monitor's path belongs to no connection.
    public var localEndpoint: NWEndpoint? { nil }

    /// The remote endpoint of a connection.
    ///
    /// Always nil: a monitor's path belongs to no connection.
    public var remoteEndpoint: NWEndpoint? { nil }

    /// The types of the interfaces that routes to the internet use.
    private let usedTypes: [NWInterface.InterfaceType]

    private let details: Details

    /// Values that no public member shows, but that equality compares.
    private struct Details: Hashable {
        /// The source addresses for packets to the internet.
        var sources: [NetworkAddress] = []
        /// The addresses of the available interfaces, except link-local ones.
        ///
        /// The kernel adds those after the link is up, so they would turn one change into two.
        var addresses: [NetworkAddress] = []
        var types: [NWInterface.InterfaceType] = []
        var nameServers: [NetworkAddress] = []
    }

    /// Returns whether a route to the internet uses an interface of a type, or a tunnel that such an interface carries.
    ///
    /// Which one carries WireGuard or a VPN's tun is a guess if several can: wired ones precede Wi-Fi, and that cellular
    /// ones. The kernel tells it for other tunnels.
    ///
    /// - Parameter type: The type.
    /// - Returns: True if at least one route does.
    public func usesInterfaceType(_ type: NWInterface.InterfaceType) -> Bool {
        usedTypes.contains(type)
    }

    /// The path before a monitor has read the first one.
    static let unknown = NWPath(
        NetworkHost(
            ipv4: .unknown, ipv6: .unknown, interfaces: [], nameServers: [], searchDomains: []))

    /// The path of connections that may use interfaces of the types that `isAllowed` accepts; nil for all types.
    ///
    /// It is the kernel's own path unless that uses a type that isn't allowed, or leads nowhere. Then it is that of the
    /// first exit of an allowed type, which connections take that are bound to the interface. `isAllowed` receives the
    /// type of an interface, and the type of the one that carries it if it's a tunnel.
    init(_ host: NetworkHost, allowing isAllowed: (([NWInterface.InterfaceType]) -> Bool)? = nil) {
        let accepts = isAllowed ?? { _ in true }
        func types(_ way: ReachabilitySnapshot) -> [NWInterface.InterfaceType] {
            [way.interface?.interfaceClass, host.underlay(of: way).first?.interface.interfaceClass]
                .compactMap { $0.map(NWInterface.InterfaceType.init) }
        }
        let exits = host.exits.filter { $0.isOnline && accepts(types($0.way)) }
            .sorted(by: NetworkHost.Exit.isPreferred)
        func way(
            _ own: ReachabilitySnapshot, _ family: KeyPath<NetworkHost.Exit, ReachabilitySnapshot>
        ) -> ReachabilitySnapshot? {
            let isAccepted = own.interface == nil || accepts(types(own))
            let own = isAccepted && own.flags.contains(.reachable) ? own : nil
            guard isAllowed != nil, own?.status.isReachable != true else { return own }
            return exits.lazy.map { $0[keyPath: family] }.first(where: \.status.isReachable) ?? own
        }
        let ways = [way(host.ipv4, \.ipv4), way(host.ipv6, \.ipv6)]
        let satisfied = ways.compactMap(\.self).filter(\.status.isReachable)
        status =
            !satisfied.isEmpty
            ? .satisfied : ways.allSatisfy { $0 == nil } ? .unsatisfied : .requiresConnection
        isExpensive = satisfied.contains { way in
            way.isExpensive(overExpensive: host.underlay(of: way).first?.isExpensive == true)
        }
        supportsIPv4 = ways[0]?.status.isReachable == true
        supportsIPv6 = ways[1]?.status.isReachable == true
        supportsDNS = !satisfied.isEmpty && host.supportsDNS
        let used = satisfied.compactMap(\.interface)
        usedTypes = satisfied.flatMap(types).unique
        guard !satisfied.isEmpty else {
            (availableInterfaces, gateways, details) = ([], [], Details())
            return
        }
        let interfaces = (used.map(\.index) + exits.map(\.interface.index)).unique
            .compactMap { index in host.interfaces.first { $0.index == index } }
        availableInterfaces = interfaces.map(NWInterface.init)
        let available = satisfied + exits.flatMap { [$0.ipv4, $0.ipv6] }
        gateways =
            available.filter(\.status.isReachable).compactMap { way in
                way.gateway.map {
                    NWEndpoint(gateway: $0, over: way.interface.map(NWInterface.init))
                }
            }.unique
        details = Details(
            sources: satisfied.compactMap(\.source),
            addresses: interfaces.flatMap(\.ownAddresses),
            types: availableInterfaces.map(\.type),
            nameServers: host.nameServers.map(\.address))
    }
}

extension Array where Element: Equatable {
    /// The elements without repetitions.
    fileprivate var unique: [Element] {
        reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
    }
}

extension NetworkHost.Exit {
    /// The way of either family that leads to the internet.
    fileprivate var way: ReachabilitySnapshot { ipv4.status.isReachable ? ipv4 : ipv6 }

    fileprivate var isExpensive: Bool {
        interface.interfaceClass == .cellular || ipv4.isExpensive || ipv6.isExpensive
    }
}

extension NWPath: CustomDebugStringConvertible {
    /// In Apple's form: `satisfied (Path is satisfied), interface: eth0, ipv4, dns, uses wired`.
    public var debugDescription: String {
        let start =
            switch status {
            case .satisfied: "satisfied (Path is satisfied)"
            case .unsatisfied: "unsatisfied (No network route)"
            case .requiresConnection: "requires connection"
            }
        let parts: [String?] = [
            start, availableInterfaces.first.map { "interface: \($0.name)" },
            supportsIPv4 ? "ipv4" : nil, supportsIPv6 ? "ipv6" : nil, supportsDNS ? "dns" : nil,
            isExpensive ? "expensive" : nil, usedTypes.first.map { "uses \($0.words)" },
        ]
        return parts.compactMap(\.self).joined(separator: ", ")
    }
}
#else
// On Apple's systems, the module is Network.framework under another name.
@_exported public import Network
#endif
