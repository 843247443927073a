// SPDX-License-Identifier: MIT

import NetworkReachability
import Testing

@testable import NetworkPath

@Suite("NWPath")
struct NWPathTests {
    private static func interface(
        _ index: UInt32, _ name: String, _ interfaceClass: NetworkInterfaceClass,
        isUsable: Bool = true
    ) throws -> NetworkInterface {
        let address = try NetworkInterface.Address(
            address: NetworkAddress("192.0.2.\(index)"), prefixLength: 24)
        return NetworkInterface(
            index: index, name: name, interfaceClass: interfaceClass,
            state: isUsable ? NetworkInterfaceState(rawValue: 0x27) : .up, addresses: [address])
    }

    private static func way(
        _ interface: NetworkInterface, _ flags: ReachabilityFlags = .reachable
    ) -> ReachabilitySnapshot {
        ReachabilitySnapshot(
            flags: flags,
            interface: ReachabilitySnapshot.Interface(
                index: interface.index, name: interface.name,
                interfaceClass: interface.interfaceClass))
    }

    private static func host(
        _ interfaces: [NetworkInterface],
        ipv4: ReachabilitySnapshot = ReachabilitySnapshot(flags: []),
        ipv6: ReachabilitySnapshot = ReachabilitySnapshot(flags: [])
    ) -> NetworkHost {
        NetworkHost(
            ipv4: ipv4, ipv6: ipv6, interfaces: interfaces, nameServers: [], searchDomains: [])
    }

    @Test("interfaces: those of the ways first, IPv4's before IPv6's, then what else can be used")
    func order() throws {
        let interfaces = try [
            Self.interface(1, "lo", .loopback), Self.interface(2, "eth0", .wiredEthernet),
            Self.interface(3, "eth1", .wiredEthernet, isUsable: false),
            Self.interface(4, "wlan0", .wifi), Self.interface(5, "wwan0", .cellular),
        ]
        let host = Self.host(
            interfaces, ipv4: Self.way(interfaces[4], [.reachable, .isWWAN]),
            ipv6: Self.way(interfaces[3]))
        let path = NWPath(host) { _ in true }
        #expect(path.availableInterfaces.map(\.name) == ["wwan0", "wlan0", "eth0"])
        #expect(path.usesInterfaceType(.wifi) && path.usesInterfaceType(.cellular))
        #expect(!path.usesInterfaceType(.wiredEthernet))
        let wired = NWPath(host) { $0 == .wiredEthernet }
        #expect(wired.status == .unsatisfied && wired.availableInterfaces.isEmpty)
    }

    @Test("cellular is expensive, and a modem that would dial requires a connection")
    func wholePath() throws {
        let modem = try Self.interface(5, "wwan0", .cellular)
        let online = NWPath(Self.host([modem], ipv4: Self.way(modem, [.reachable, .isWWAN]))) {
            _ in true
        }
        #expect(online.status == .satisfied && online.isExpensive && online.supportsIPv4)
        #expect(!online.supportsIPv6 && !online.supportsDNS)
        let dialling: ReachabilityFlags = [
            .reachable, .transientConnection, .connectionRequired, .isWWAN,
        ]
        let waiting = NWPath(Self.host([modem], ipv4: Self.way(modem, dialling))) { _ in true }
        #expect(waiting.status == .requiresConnection && waiting.availableInterfaces.isEmpty)
        #expect(!waiting.isExpensive && !waiting.supportsIPv4)
        #expect(waiting.debugDescription == "requires connection")
    }
}
