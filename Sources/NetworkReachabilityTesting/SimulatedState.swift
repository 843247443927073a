// SPDX-License-Identifier: MIT

internal import NetworkReachability
internal import ReachLibc

/// The route of a simulated network.
struct SimulatedPath: Sendable {
    var interfaceClass: NetworkInterfaceClass
    var interface: String?
    var source: NetworkAddress?
    var gateway: NetworkAddress?
    var families: Set<NetworkAddress.Family> = [.ipv4, .ipv6]
    var isMetered: Bool?
    /// Whether the interface waits for a connection.
    var isDormant = false
}

/// The network that a test has set.
struct SimulatedState: Sendable {
    enum Path: Sendable {
        case offline(ReachabilityReason)
        case online(SimulatedPath)
        case fixed(ReachabilitySnapshot)
    }

    enum Name: Sendable {
        case pending
        case resolved([NetworkAddress])
        /// The addresses are those that the name had before.
        case failed(ReachabilityReason, [NetworkAddress])
    }

    var path = Path.offline(.noRoute)
    /// The last path that was online.
    var lastPath = SimulatedPath(interfaceClass: .wifi)
    var name = Name.resolved([.documentation(1)])
    var startError: ReachabilityError?

    mutating func setPath(_ new: Path) {
        path = new
        if case .online(let online) = new { lastPath = online }
    }

    mutating func failName(_ reason: ReachabilityReason) {
        name =
            switch name {
            case .pending, .failed(.noSuchName, _), .failed(.noAddress, _): .failed(reason, [])
            case .resolved(let addresses), .failed(_, let addresses): .failed(reason, addresses)
            }
    }

    /// The snapshot that an engine computes for a target on this network.
    func snapshot(of target: ReachabilityTarget) -> ReachabilitySnapshot {
        switch path {
        case .fixed(let snapshot): return snapshot
        case .online(let path):
            return snapshot(
                of: target, on: path.host(for: target), isMetered: path.isMetered)
        case .offline(let reason):
            guard let host = lastPath.host(for: target, offline: reason) else {
                return ReachabilitySnapshot(flags: [], reason: reason)
            }
            return snapshot(of: target, on: host, reason)
        }
    }

    private func snapshot(
        of target: ReachabilityTarget, on host: SimulatedHost,
        _ reason: ReachabilityReason = .reachable, isMetered: Bool? = nil
    ) -> ReachabilitySnapshot {
        guard let engine = SimulatedEngine(), let id = engine.add(target) else { return .unknown }
        switch reason {
        case .notConnected: engine.setFacts(InterfaceFacts(name: "", modem: .registered))
        case .lockedSIM: engine.setFacts(InterfaceFacts(name: "", modem: .locked))
        default:
            engine.setFacts(InterfaceFacts(name: host.interface.name, isMetered: isMetered))
        }
        engine.run(on: host)
        if case .domain = target.kind { resolve(id, of: target, engine) }
        engine.run(on: host)
        return engine.snapshot(of: id) ?? .unknown
    }

    private func resolve(
        _ id: UInt64, of target: ReachabilityTarget, _ engine: borrowing SimulatedEngine
    ) {
        func ofFamily(_ all: [NetworkAddress]) -> [NetworkAddress] {
            all.filter { target.family == nil || $0.family == target.family }
        }
        switch name {
        case .pending: break
        case .resolved(let addresses): engine.resolve(id, to: ofFamily(addresses))
        case .failed(let reason, let addresses):
            if !ofFamily(addresses).isEmpty { engine.resolve(id, to: ofFamily(addresses)) }
            engine.failResolution(id, reason.resolverError)
        }
    }
}

extension SimulatedPath {
    private var usual: (index: UInt32, name: String) {
        switch interfaceClass {
        case .loopback: (1, "lo")
        case .wiredEthernet: (2, "eth0")
        case .wifi: (3, "wlan0")
        case .cellular: (4, "wwan0")
        case .vpn: (5, "wg0")
        case .ppp: (6, "ppp0")
        case .virtual: (7, "veth0")
        case .other: (8, "other0")
        }
    }

    /// The host whose default routes use this path.
    func host(for target: ReachabilityTarget) -> SimulatedHost {
        var host = SimulatedHost(
            interface: ReachabilitySnapshot.Interface(
                index: target.interfaceIndex ?? usual.index,
                name: interface ?? target.interfaceName ?? usual.name,
                interfaceClass: interfaceClass))
        host.isDormant = isDormant
        host.families = families
        var gateways = gateway.map { [$0] } ?? []
        for (family, own, usual) in NetworkAddress.usual where families.contains(family) {
            host.addresses.append(source?.family == family ? source ?? own : own)
            guard ![.cellular, .ppp, .vpn].contains(interfaceClass),
                !gateways.contains(where: { $0.family == family })
            else { continue }
            gateways.append(usual)
        }
        if families.contains(.ipv6) { host.addresses.append(.linkLocal) }
        if case .addressPair(let local?, _) = target.kind { host.addresses.append(local) }
        host.gateways = gateways
        return host
    }

    /// The host that is offline because of `reason`; nil if no state of the network causes that reason.
    func host(for target: ReachabilityTarget, offline reason: ReachabilityReason) -> SimulatedHost?
    {
        var host = host(for: target)
        switch reason {
        case .linkDown: host.hasCarrier = false
        case .dormant: host.isDormant = true
        case .noSource: host.addresses = []
        case .noRoute, .notConnected, .lockedSIM: (host.addresses, host.families) = ([], [])
        case .unreachable: host.remove(failure: EHOSTUNREACH)
        case .prohibited: host.remove(failure: EACCES)
        case .blackhole: host.remove(failure: EINVAL)
        case .refused: host.remove(failure: EPERM)
        default: return nil
        }
        return host
    }
}

extension SimulatedHost {
    /// Removes the routes; every lookup fails with `failure`.
    fileprivate mutating func remove(failure: Int32) {
        (addresses, families) = ([], [])
        self.failure = failure
    }
}

extension ReachabilityReason {
    /// The error of the resolver that causes the reason.
    fileprivate var resolverError: ReachabilityErrno {
        switch self {
        case .noSuchName: ReachabilityErrno(rawValue: ENOENT)
        case .noAddress: ReachabilityErrno(rawValue: ENODATA)
        case .noNetwork: ReachabilityErrno(rawValue: ENETUNREACH)
        default: ReachabilityErrno(rawValue: EIO)
        }
    }
}

extension NetworkAddress {
    /// An address of 192.0.2.0/24 (TEST-NET-1, RFC 5737).
    fileprivate static func documentation(_ host: UInt8) -> NetworkAddress {
        NetworkAddress(ipv4: 192, 0, 2, host)
    }

    fileprivate static let linkLocal = NetworkAddress(ipv6: [0xFE80, 0, 0, 0, 0, 0, 0, 2])

    /// For each family, the addresses of the host and its gateway, mostly from prefixes for documentation
    /// (RFC 5737, RFC 3849).
    fileprivate static let usual: [(family: Family, own: NetworkAddress, gateway: NetworkAddress)] =
        [
            (.ipv4, NetworkAddress(ipv4: 198, 51, 100, 2), NetworkAddress(ipv4: 198, 51, 100, 1)),
            (
                .ipv6, NetworkAddress(ipv6: [0x2001, 0xDB8, 0x1, 0, 0, 0, 0, 2]),
                NetworkAddress(ipv6: [0xFE80, 0, 0, 0, 0, 0, 0, 1])
            ),
        ]
}
