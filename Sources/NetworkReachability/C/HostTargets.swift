// SPDX-License-Identifier: MIT

/// The targets of a monitor whose states make up a ``NetworkHost``.
struct HostTargets: Sendable {
    private struct Server: Sendable {
        let server: ResolverConfiguration.NameServer
        let id: UInt64
    }

    private let ipv4: UInt64
    private let ipv6: UInt64
    private var servers: [Server] = []
    private var searchDomains: [String] = []

    /// Adds the targets to a monitor; on failure, removes those already added.
    init(
        _ handle: borrowing MonitorHandle, resolver: ResolverConfiguration
    ) throws(ReachabilityError) {
        ipv4 = try handle.add(.internet(.ipv4), reporting: .path)
        do throws(ReachabilityError) {
            ipv6 = try handle.add(.internet(.ipv6), reporting: .path)
        } catch {
            handle.remove(ipv4)
            throw error
        }
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
        for id in [ipv4, ipv6] + servers.map(\.id) { handle.remove(id) }
    }

    /// The host as of the last dispatch; nil while an answer is outstanding.
    func host(of handle: borrowing MonitorHandle) throws(ReachabilityErrno) -> NetworkHost? {
        guard let ipv4 = try handle.latest(ipv4), let ipv6 = try handle.latest(ipv6) else {
            return nil
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
            ipv4: ipv4, ipv6: ipv6, interfaces: handle.interfaces(), nameServers: nameServers,
            searchDomains: searchDomains)
    }
}
