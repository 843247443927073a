// SPDX-License-Identifier: MIT

internal import NetworkReachability

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

/// What a test has set.
struct SimulatedState: Sendable {
    enum Path: Sendable {
        case offline(ReachabilityReason)
        case online(SimulatedPath)
        case fixed(ReachabilitySnapshot)
    }

    enum Name: Sendable {
        case pending
        case resolved([NetworkAddress])
        case failed(ReachabilityReason)
    }

    var path = Path.offline(.noRoute)
    var name = Name.resolved([.documentation(1)])
    var nameServers: [NetworkAddress] = [.documentation(53)]
    var startError: ReachabilityError?

    /// The snapshot that the engine would make of it, by the same rules.
    func snapshot(of target: ReachabilityTarget) -> ReachabilitySnapshot {
        if case .fixed(let snapshot) = path { return snapshot }
        guard case .domain = target.kind else { return route(of: target, [], .none) }
        switch name {
        case .resolved(let all):
            let addresses = all.filter { target.family == nil || $0.family == target.family }
            guard addresses.isEmpty else { return route(of: target, addresses, .done) }
            return ReachabilitySnapshot(flags: [], reason: .noAddress, resolution: .done)
        case .failed(let reason):
            return ReachabilitySnapshot(flags: [], reason: reason, resolution: .done)
        case .pending where target.policy == .optimistic:
            return route(of: target, [], .pending)
        case .pending:
            return ReachabilitySnapshot(flags: [], reason: .resolving, resolution: .pending)
        }
    }

    private func route(
        of target: ReachabilityTarget, _ addresses: [NetworkAddress],
        _ resolution: NameResolution
    ) -> ReachabilitySnapshot {
        func none(
            _ reason: ReachabilityReason, over interface: ReachabilitySnapshot.Interface? = nil,
            isMetered: Bool? = nil
        ) -> ReachabilitySnapshot {
            ReachabilitySnapshot(
                flags: [], interface: interface, addresses: addresses, reason: reason,
                resolution: resolution, isMetered: isMetered)
        }
        switch path {
        case .fixed(let snapshot): return snapshot
        case .offline(let reason): return none(reason)
        case .online(let path):
            let families = target.families(addresses)
            guard !families.isDisjoint(with: path.families) else { return none(.noRoute) }
            if target.kind == .localWiFi, ![.wifi, .wiredEthernet].contains(path.interfaceClass) {
                return none(.linkDown)
            }
            let interface = path.interface(for: target)
            guard
                target.interfaceClasses.isEmpty
                    || target.interfaceClasses.contains(path.interfaceClass)
            else { return none(.otherInterface, over: interface, isMetered: path.isMetered) }
            return ReachabilitySnapshot(
                flags: path.flags(of: target), interface: interface, source: path.source,
                gateway: path.gateway, addresses: addresses,
                reason: path.isDormant ? .dormant : .none, resolution: resolution,
                isMetered: path.isMetered)
        }
    }
}

extension SimulatedPath {
    func interface(for target: ReachabilityTarget) -> ReachabilitySnapshot.Interface {
        let usual: (index: UInt32, name: String) =
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
        return ReachabilitySnapshot.Interface(
            index: usual.index, name: interface ?? target.interfaceName ?? usual.name,
            interfaceClass: interfaceClass)
    }

    func flags(of target: ReachabilityTarget) -> ReachabilityFlags {
        var flags: ReachabilityFlags = .reachable
        switch interfaceClass {
        case .cellular: flags.formUnion([.isWWAN, .transientConnection])
        case .vpn, .ppp: flags.insert(.transientConnection)
        case .loopback: flags.insert(.isLocalAddress)
        default: break
        }
        if isDormant {
            flags.insert(.connectionRequired)
            if [.cellular, .ppp].contains(interfaceClass) { flags.insert(.connectionOnTraffic) }
        }
        if case .localWiFi = target.kind { flags.insert(.isDirect) }
        return flags
    }
}

extension ReachabilityTarget {
    /// The families that it can be reached over; `addresses` are those of its name.
    fileprivate func families(_ addresses: [NetworkAddress]) -> Set<NetworkAddress.Family> {
        let all: Set<NetworkAddress.Family> = [.ipv4, .ipv6]
        switch kind {
        case .internet: return family.map { [$0] } ?? all
        case .localWiFi: return all
        case .address(let address):
            return address.bytes.allSatisfy { $0 == 0 } ? all : [address.family]
        case .addressPair(let local, let remote):
            return (remote ?? local).map { [$0.family] } ?? all
        case .domain where addresses.isEmpty: return family.map { [$0] } ?? all
        case .domain: return Set(addresses.map(\.family))
        }
    }
}

extension NetworkAddress {
    /// An address of 192.0.2.0/24 (TEST-NET-1, RFC 5737).
    fileprivate static func documentation(_ host: UInt8) -> NetworkAddress {
        NetworkAddress(ipv4: 192, 0, 2, host)
    }
}
