// SPDX-License-Identifier: MIT

internal import ReachLibc

/// The network of this host at one moment: its paths to the internet, its interfaces, and its name servers.
///
///     let host = try NetworkHost.current()
///     print(host.supportsIPv6, host.gateways, host.interfaces.filter(\.isUsable).map(\.name))
///     for try await host in NetworkHost.updates() {
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

        /// Whether an exit precedes another: NetworkManager's order of classes, then that of indices.
        package static func isPreferred(_ one: Exit, _ other: Exit) -> Bool {
            (one.interface.interfaceClass.place, one.interface.index)
                < (other.interface.interfaceClass.place, other.interface.index)
        }

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
    /// These are the usable ones that have an address that isn't link-local, or that ``ipv4`` or ``ipv6`` uses; except
    /// loopback and ports of a bridge or bond. ``Exit/isOnline`` tells whether one does.
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

    /// The indices of the interfaces that carry tunnels, by the tunnel's index, as far as the kernel tells; 0 for none.
    private let carriers: [UInt32: UInt32]

    /// The interfaces that may carry the packets of a path over a tunnel, the likeliest first.
    ///
    /// A tunnel of the kernel with a fixed far end (GRE, IPIP, SIT, VTI, vxlan, Geneve) is carried by the interface of the
    /// route to that, and an XFRM interface by the one that it is bound to.
    ///
    /// The kernel doesn't tell where WireGuard or the program of a VPN sends its packets. So these are the ``exits`` that
    /// lead to the internet without a tunnel: wired ones, Wi-Fi, cellular, then the rest, as NetworkManager prefers them.
    /// If none does, because the VPN has replaced the default route, they are the usable wired, Wi-Fi, and cellular ones.
    ///
    /// - Parameter path: A path of this host, such as ``ipv4``.
    /// - Returns: The exits; empty if the path's interface is no tunnel, which PPP isn't, or if nothing carries it. The
    ///   path then stays reachable, and its packets are lost, unless the tunnel came from another namespace, which
    ///   carries it.
    public func underlay(of path: ReachabilitySnapshot) -> [Exit] { carriers(of: path) ?? [] }

    /// As ``underlay(of:)``, but nil if the path's interface is no tunnel.
    package func carriers(of path: ReachabilitySnapshot) -> [Exit]? {
        let tunnel = interfaces.first { $0.index == path.interface?.index && $0.isTunnel }
        return tunnel.map { carriers(of: $0) }
    }

    /// `depth` counts the tunnels above, since tunnels can carry each other in a circle.
    private func carriers(of tunnel: NetworkInterface, depth: Int = 0) -> [Exit] {
        if let index = carriers[tunnel.index] {
            guard let exit = exits.first(where: { $0.interface.index == index }), depth < 8 else {
                return []
            }
            return exit.interface.isTunnel ? carriers(of: exit.interface, depth: depth + 1) : [exit]
        }
        let exits = exits.filter { !$0.interface.isTunnel }
        let online = exits.filter(\.isOnline)
        return (online.isEmpty ? exits.filter { $0.interface.interfaceClass.isPhysical } : online)
            .sorted(by: Exit.isPreferred)
    }

    package init(
        ipv4: ReachabilitySnapshot, ipv6: ReachabilitySnapshot, interfaces: [NetworkInterface],
        exits: [Exit] = [], carriers: [UInt32: UInt32] = [:],
        nameServers: [NameServer], searchDomains: [String]
    ) {
        self.ipv4 = ipv4
        self.ipv6 = ipv6
        self.interfaces = interfaces
        self.exits = exits
        self.carriers = carriers
        self.nameServers = nameServers
        self.searchDomains = searchDomains
    }
}

extension ReachabilitySnapshot {
    /// Returns the interfaces that may carry the packets of this path now, the likeliest first, if it is over a tunnel.
    ///
    /// It reads the network of the host if the interface can be a tunnel. To follow changes, use
    /// ``NetworkHost/updates(in:)`` and ``NetworkHost/underlay(of:)``.
    ///
    /// - Parameter namespace: The network namespace of the path.
    /// - Returns: See ``NetworkHost/underlay(of:)``.
    /// - Throws: See ``NetworkHost/current(in:)``.
    public func underlay(
        in namespace: NetworkNamespace = .current
    ) throws(ReachabilityError) -> [NetworkHost.Exit] {
        try mayUseTunnel ? NetworkHost.current(in: namespace).underlay(of: self) : []
    }

    /// Whether the interface is of a class of ``NetworkInterface/isTunnel``.
    package var mayUseTunnel: Bool {
        interface?.interfaceClass == .vpn || interface?.interfaceClass == .virtual
    }
}

/// The name servers and search domains of resolv.conf(5).
package struct ResolverConfiguration: Sendable {
    /// A name server that the C library queries.
    package struct NameServer: Hashable, Sendable {
        /// The text of the `nameserver` line: an address, with `%interface` or `%index` if it is link-local.
        package let text: String
        /// Whether a line of the file has it.
        let isConfigured: Bool
        /// The address and, by name, its interface, which need not exist, and has another index in another
        /// namespace.
        let target: ReachabilityTarget
        private let address: NetworkAddress

        init?(_ text: String, isConfigured: Bool = true) {
            let zone = NetworkAddress.zone(in: text)
            let literal = zone == nil ? text : String(text.prefix { $0 != "%" })
            guard let address = try? NetworkAddress(literal), zone == nil || address.isLinkLocal
            else {
                return nil
            }
            let target = ReachabilityTarget.address(address)
            guard let restricted = try? zone.map(target.with(interface:)) ?? target else {
                return nil
            }
            self.text = text
            self.isConfigured = isConfigured
            self.target = restricted
            self.address = address
        }

        /// The address, with the index of the interface that the path to it has.
        func address(over interface: ReachabilitySnapshot.Interface?) -> NetworkAddress {
            guard target.interfaceName != nil, let interface else { return address }
            return NetworkAddress(.ipv6, address.high, address.low, scopeID: interface.index)
        }
    }

    /// The servers of the `nameserver` lines, the first three; 127.0.0.1 if no line has a valid one.
    package let nameServers: [NameServer]
    /// The domains of the last `search` or `domain` line.
    package let searchDomains: [String]

    /// Reads a file, which counts as empty if it can't be read or isn't a regular file.
    package init(at path: String) {
        self.init(Self.contents(of: path))
    }

    init(_ text: String) {
        nameServers = Self.nameServers(in: text)
        searchDomains = Self.searchDomains(in: text)
    }

    /// The servers that the C library uses: the first three.
    private static let most = 3

    /// The file is read up to this many bytes.
    private static let capacity = 65536

    private static func nameServers(in text: String) -> [NameServer] {
        let servers = text.split(whereSeparator: \.isNewline).compactMap { line in
            // The keyword begins the line; white space separates it from the value.
            let words = line.split(maxSplits: 2) { $0 == " " || $0 == "\t" }
            return line.first != " " && words.count > 1 && words[0] == "nameserver"
                ? NameServer(String(words[1])) : nil
        }
        guard servers.isEmpty else { return Array(servers.prefix(most)) }
        return [NameServer("127.0.0.1", isConfigured: false)].compactMap(\.self)
    }

    private static func searchDomains(in text: String) -> [String] {
        let lines = text.split(whereSeparator: \.isNewline)
        let last = lines.last { $0.hasPrefix("search") || $0.hasPrefix("domain") }
        return last?.split { $0 == " " || $0 == "\t" }.dropFirst().map(String.init) ?? []
    }

    /// Never blocks, even if the path leads to a FIFO or a device.
    private static func contents(of path: String) -> String {
        let file = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
        guard file >= 0 else { return "" }
        defer { close(file) }
        var status = stat()
        guard unsafe fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            return ""
        }
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: capacity) { buffer, count in
            var size = 0
            repeat {
                let rest = unsafe UnsafeMutableBufferPointer(rebasing: buffer[count...])
                size = unsafe read(file, rest.baseAddress, rest.count)
                count += max(size, 0)
            } while size > 0 && count < capacity
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
