// SPDX-License-Identifier: MIT

import NetworkReachability
import Testing

@testable import NetworkPath

@Suite("NWPath")
struct NWPathTests {
    private static func interface(
        _ index: UInt32, _ name: String, _ interfaceClass: NetworkInterfaceClass,
        isUsable: Bool = true, address text: String? = nil
    ) throws -> NetworkInterface {
        let address = try NetworkInterface.Address(
            address: NetworkAddress(text ?? "192.0.2.\(index)"), prefixLength: 24)
        return NetworkInterface(
            index: index, name: name, interfaceClass: interfaceClass,
            state: isUsable ? NetworkInterfaceState(rawValue: 0x27) : .up, addresses: [address])
    }

    private static func way(
        _ interface: NetworkInterface, _ flags: ReachabilityFlags = .reachable,
        isMetered: Bool? = nil
    ) -> ReachabilitySnapshot {
        ReachabilitySnapshot(
            flags: flags,
            interface: ReachabilitySnapshot.Interface(
                index: interface.index, name: interface.name,
                interfaceClass: interface.interfaceClass), isMetered: isMetered)
    }

    private static func host(
        _ interfaces: [NetworkInterface],
        ipv4: ReachabilitySnapshot = ReachabilitySnapshot(flags: []),
        ipv6: ReachabilitySnapshot = ReachabilitySnapshot(flags: [])
    ) -> NetworkHost {
        NetworkHost(
            ipv4: ipv4, ipv6: ipv6, interfaces: interfaces, nameServers: [], searchDomains: [])
    }

    @Test("The interfaces of the IPv4 and IPv6 paths come first, then other usable ones")
    func order() throws {
        let interfaces = try [
            Self.interface(1, "lo", .loopback), Self.interface(2, "eth0", .wiredEthernet),
            Self.interface(3, "eth1", .wiredEthernet, isUsable: false),
            Self.interface(4, "wlan0", .wifi), Self.interface(5, "wwan0", .cellular),
            Self.interface(6, "eth2", .wiredEthernet, address: "fe80::1"),
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

    @Test(
        "Interfaces that no path uses are sorted by type (wired, Wi-Fi, cellular, others), then by index"
    )
    func rest() throws {
        let interfaces = try [
            Self.interface(2, "docker0", .virtual), Self.interface(3, "wwan0", .cellular),
            Self.interface(4, "wlan0", .wifi), Self.interface(5, "eth1", .wiredEthernet),
            Self.interface(6, "eth0", .wiredEthernet), Self.interface(7, "tun0", .vpn),
        ]
        let path = NWPath(Self.host(interfaces, ipv4: Self.way(interfaces[2]))) { _ in true }
        #expect(
            path.availableInterfaces.map(\.name)
                == ["wlan0", "eth1", "eth0", "wwan0", "docker0", "tun0"])
    }

    @Test("Interfaces are equal by name and index, but paths differ if their types differ")
    func equality() throws {
        let wired = try Self.interface(2, "net0", .wiredEthernet)
        let wifi = try Self.interface(2, "net0", .wifi)
        let way = try Self.way(Self.interface(9, "eth0", .wiredEthernet))
        let one = NWPath(Self.host([wired], ipv4: way)) { _ in true }
        let other = NWPath(Self.host([wifi], ipv4: way)) { _ in true }
        #expect(one.availableInterfaces == other.availableInterfaces && one != other)
        #expect(Set(one.availableInterfaces + other.availableInterfaces).count == 1)
        let renamed = try NWInterface(Self.interface(2, "net1", .wifi))
        #expect(renamed != NWInterface(wifi))
        #expect(try NWInterface(wifi) != NWInterface(Self.interface(3, "net0", .wifi)))
    }

    @Test("A metered path is expensive, and an unmetered path over a modem is not")
    func metered() throws {
        let wired = try Self.interface(2, "eth0", .wiredEthernet)
        let modem = try Self.interface(3, "wwan0", .cellular)
        func path(_ way: ReachabilitySnapshot) -> NWPath {
            NWPath(Self.host([wired, modem], ipv4: way)) { _ in true }
        }
        #expect(!path(Self.way(wired)).isExpensive)
        let charged = path(Self.way(wired, isMetered: true))
        #expect(charged.isExpensive && charged != path(Self.way(wired)))
        #expect(charged.debugDescription.hasSuffix("ipv4, expensive, uses wired"))
        #expect(!path(Self.way(modem, [.reachable, .isWWAN], isMetered: false)).isExpensive)
        #expect(!charged.isConstrained && !charged.isUltraConstrained)
        #expect(charged.linkQuality == .unknown)
    }

    @Test("Cellular is expensive, and a modem that would dial requires a connection")
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
