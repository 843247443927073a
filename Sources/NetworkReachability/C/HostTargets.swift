// SPDX-License-Identifier: MIT

#if canImport(CReach)
/// The targets of a monitor whose states make up a ``NetworkHost``.
struct HostTargets: Sendable {
    private struct Server: Sendable {
        let server: ResolverConfiguration.NameServer
        let id: UInt64
    }

    /// The internet over each family.
    private struct Internet: Sendable {
        let ipv4: UInt64
        let ipv6: UInt64

        /// Adds both targets; on failure, none is left.
        init(
            _ handle: borrowing MonitorHandle, interfaceIndex: UInt32 = 0
        ) throws(ReachabilityError) {
            func target(_ family: NetworkAddress.Family) -> ReachabilityTarget {
                .internet(family).with(interfaceIndex: interfaceIndex)
            }
            ipv4 = try handle.add(target(.ipv4), reporting: .path)
            do throws(ReachabilityError) {
                ipv6 = try handle.add(target(.ipv6), reporting: .path)
            } catch {
                handle.remove(ipv4)
                throw error
            }
        }
    }

    private let internet: Internet
    /// The targets of single interfaces, by index.
    private var exits: [UInt32: Internet] = [:]
    /// The targets of the packets of tunnels, by the tunnel's index.
    private var tunnels: [UInt32: (target: ReachabilityTarget, id: UInt64)] = [:]
    private var servers: [Server] = []
    private var searchDomains: [String] = []

    /// Adds the targets to a monitor; on failure, none is left.
    init(
        _ handle: borrowing MonitorHandle, resolver: ResolverConfiguration
    ) throws(ReachabilityError) {
        internet = try Internet(handle)
        configure(resolver, handle)
    }

    /// Replaces the name servers by those of another configuration.
    ///
    /// If memory runs out, servers that can't be added are left out.
    mutating func configure(_ resolver: ResolverConfiguration, _ handle: borrowing MonitorHandle) {
        searchDomains = resolver.searchDomains
        guard servers.map(\.server) != resolver.nameServers else { return }
        for server in servers { handle.remove(server.id) }
        servers = resolver.nameServers.compactMap { server in
            (try? handle.add(server.target, reporting: .path))
                .map { Server(server: server, id: $0) }
        }
    }

    func remove(from handle: borrowing MonitorHandle) {
        let ways = [internet] + exits.values
        let others = servers.map(\.id) + tunnels.values.map(\.id)
        for id in ways.flatMap({ [$0.ipv4, $0.ipv6] }) + others { handle.remove(id) }
    }

    /// The interfaces that carry tunnels, as of the last dispatch, for ``NetworkHost``; nil while an answer is
    /// outstanding.
    private mutating func carriers(
        of interfaces: [NetworkInterface], _ handle: borrowing MonitorHandle
    ) throws(ReachabilityErrno) -> [UInt32: UInt32]? {
        var carriers: [UInt32: UInt32] = [:]
        for interface in interfaces where interface.isTunnel {
            carriers[interface.index] = interface.lower.isElsewhere ? 0 : interface.lower.index
        }
        let wanted = interfaces.filter { $0.isUsable && !$0.lower.isElsewhere }
            .reduce(into: [:]) { $0[$1.index] = $1.lower.path }
        for (index, tunnel) in tunnels where wanted[index] != tunnel.target {
            handle.remove(tunnel.id)
            tunnels[index] = nil
        }
        for (index, target) in wanted where tunnels[index] == nil {
            tunnels[index] = (try? handle.add(target, reporting: .path)).map { (target, $0) }
        }
        for (index, tunnel) in tunnels {
            guard let way = try handle.latest(tunnel.id) else { return nil }
            carriers[index] = way.interface?.index ?? 0
        }
        return carriers
    }

    /// Adds the targets of interfaces that can be exits now, and removes the others.
    ///
    /// If memory runs out, interfaces whose targets can't be added are left out. Those with the indices `used` carry
    /// packets.
    private mutating func follow(
        _ interfaces: [NetworkInterface], used: Set<UInt32>, _ handle: borrowing MonitorHandle
    ) {
        let indices = Set(
            interfaces.filter { $0.canBeExit(among: interfaces, used: used) }.map(\.index))
        for (index, exit) in exits where !indices.contains(index) {
            handle.remove(exit.ipv4)
            handle.remove(exit.ipv6)
            exits[index] = nil
        }
        for index in indices where exits[index] == nil {
            exits[index] = try? Internet(handle, interfaceIndex: index)
        }
    }

    /// The host as of the last dispatch; nil while an answer is outstanding.
    mutating func host(
        of handle: borrowing MonitorHandle
    ) throws(ReachabilityErrno) -> NetworkHost? {
        let interfaces = handle.interfaces()
        guard let ipv4 = try handle.latest(internet.ipv4),
            let ipv6 = try handle.latest(internet.ipv6),
            let carriers = try carriers(of: interfaces, handle)
        else { return nil }
        let used = [ipv4, ipv6].filter(\.status.isReachable).compactMap(\.interface?.index)
        follow(interfaces, used: Set(used).union(carriers.values), handle)
        var ways: [NetworkHost.Exit] = []
        for interface in interfaces {
            guard let exit = exits[interface.index] else { continue }
            guard let ipv4 = try handle.latest(exit.ipv4), let ipv6 = try handle.latest(exit.ipv6)
            else { return nil }
            ways.append(NetworkHost.Exit(interface: interface, ipv4: ipv4, ipv6: ipv6))
        }
        var nameServers: [NetworkHost.NameServer] = []
        for server in servers {
            guard let snapshot = try handle.latest(server.id) else { return nil }
            nameServers.append(
                NetworkHost.NameServer(
                    address: server.server.address(over: snapshot.interface), snapshot: snapshot,
                    isConfigured: server.server.isConfigured))
        }
        return NetworkHost(
            ipv4: ipv4, ipv6: ipv6, interfaces: interfaces, exits: ways, carriers: carriers,
            nameServers: nameServers, searchDomains: searchDomains)
    }
}
#endif
