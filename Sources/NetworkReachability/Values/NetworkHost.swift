// SPDX-License-Identifier: MIT

/// The network of this host at one moment: its paths to the internet, its interfaces, and its name servers.
///
///     let host = try NetworkHost.current()
///     print(host.supportsIPv6, host.gateways, host.interfaces.filter(\.isUsable).map(\.name))
///     for try await host in NetworkHost.updates {
///         print(host.isOnline ? "online" : "offline")
///     }
///
/// All values come from one monitor after the same events, so they are consistent. Each network
/// namespace counts as a separate host.
public struct NetworkHost: Hashable, Sendable {
    /// A configured name server, and the path to it.
    public struct NameServer: Hashable, Sendable {
        /// The address of the server.
        public let address: NetworkAddress
        /// The path to the server.
        ///
        /// A server on this host, such as the stub of systemd-resolved (127.0.0.53), always
        /// has a path, even if it can't reach other servers.
        public let snapshot: ReachabilitySnapshot
        /// Whether `/etc/resolv.conf` lists it; false for 127.0.0.1 if it lists none.
        let isConfigured: Bool
    }

    /// An interface, and the paths to the internet over it alone.
    ///
    /// The paths are those of sockets that are bound to the interface (`SO_BINDTODEVICE`), as those of
    /// ``ReachabilityTarget/with(interface:)``. So several interfaces can lead to the internet, although the kernel
    /// prefers one for sockets that aren't bound.
    public struct Exit: Hashable, Sendable {
        /// The interface.
        public let interface: NetworkInterface
        /// The path over IPv4.
        public let ipv4: ReachabilitySnapshot
        /// The path over IPv6.
        public let ipv6: ReachabilitySnapshot

        /// Whether the interface leads to the internet over IPv4 or IPv6.
        public var isOnline: Bool { ipv4.status.isReachable || ipv6.status.isReachable }

        package init(
            interface: NetworkInterface, ipv4: ReachabilitySnapshot, ipv6: ReachabilitySnapshot
        ) {
            self.interface = interface
            self.ipv4 = ipv4
            self.ipv6 = ipv6
        }
    }

    /// The path to the internet over IPv4: the state of ``ReachabilityTarget/internet(_:)``.
    public let ipv4: ReachabilitySnapshot
    /// The path to the internet over IPv6.
    public let ipv6: ReachabilitySnapshot
    /// All interfaces, sorted by index, including loopback.
    public let interfaces: [NetworkInterface]
    /// The interfaces that may lead to the internet by themselves, sorted by index.
    ///
    /// These are the usable ones with an address that isn't link-local, except loopback and ports of a bridge or bond.
    /// ``Exit/isOnline`` tells whether one does.
    public let exits: [Exit]
    /// The servers that the C library queries: the first three of `/etc/resolv.conf`, or 127.0.0.1 if it has none.
    ///
    /// A server that is limited to an interface (`fe80::1%eth0`) is listed even while that doesn't exist.
    public let nameServers: [NameServer]
    /// The domains of the last `search` or `domain` line of `/etc/resolv.conf`.
    public let searchDomains: [String]

    /// Whether the internet is reachable over IPv4 or IPv6.
    public var isOnline: Bool { supportsIPv4 || supportsIPv6 }

    /// Whether IPv4 packets to the internet can be sent, like `supportsIPv4` of NWPath.
    public var supportsIPv4: Bool { ipv4.status.isReachable }

    /// Whether IPv6 packets to the internet can be sent, like `supportsIPv6` of NWPath.
    public var supportsIPv6: Bool { ipv6.status.isReachable }

    /// Whether a name server is configured and can be reached, like `supportsDNS` of NWPath.
    ///
    /// False if `/etc/resolv.conf` lists no server, although the C library then queries 127.0.0.1.
    public var supportsDNS: Bool {
        nameServers.contains { $0.isConfigured && $0.snapshot.status.isReachable }
    }

    /// The next hops to the internet, the one for IPv4 first.
    public var gateways: [NetworkAddress] { [ipv4.gateway, ipv6.gateway].compactMap(\.self) }

    package init(
        ipv4: ReachabilitySnapshot, ipv6: ReachabilitySnapshot, interfaces: [NetworkInterface],
        exits: [Exit] = [], nameServers: [NameServer], searchDomains: [String]
    ) {
        self.ipv4 = ipv4
        self.ipv6 = ipv6
        self.interfaces = interfaces
        self.exits = exits
        self.nameServers = nameServers
        self.searchDomains = searchDomains
    }
}
