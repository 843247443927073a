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
        gateway: String? = nil, isMetered: Bool? = nil
    ) -> ReachabilitySnapshot {
        ReachabilitySnapshot(
            flags: flags,
            interface: ReachabilitySnapshot.Interface(
                index: interface.index, name: interface.name,
                interfaceClass: interface.interfaceClass),
            gateway: gateway.flatMap { try? NetworkAddress($0) }, isMetered: isMetered)
    }

    private static let nowhere = ReachabilitySnapshot(flags: [])

    private static func exit(
        _ interface: NetworkInterface, ipv4: String? = nil, ipv6: String? = nil
    ) -> NetworkHost.Exit {
        NetworkHost.Exit(
            interface: interface, ipv4: ipv4.map { way(interface, gateway: $0) } ?? nowhere,
            ipv6: ipv6.map { way(interface, gateway: $0) } ?? nowhere)
    }

    private static func host(
        _ interfaces: [NetworkInterface], exits: [NetworkHost.Exit] = [],
        ipv4: ReachabilitySnapshot = nowhere, ipv6: ReachabilitySnapshot = nowhere,
        carriers: [UInt32: UInt32] = [:]
    ) -> NetworkHost {
        NetworkHost(
            ipv4: ipv4, ipv6: ipv6, interfaces: interfaces, exits: exits, carriers: carriers,
            nameServers: [], searchDomains: [])
    }

    @Test(
        "The interfaces of the IPv4 and IPv6 paths come first, then others that lead to the internet"
    )
    func order() throws {
        let interfaces = try [
            Self.interface(1, "lo", .loopback), Self.interface(2, "eth0", .wiredEthernet),
            Self.interface(3, "eth1", .wiredEthernet), Self.interface(4, "wlan0", .wifi),
            Self.interface(5, "wwan0", .cellular),
        ]
        let exits = interfaces[1...].map { interface in
            Self.exit(interface, ipv6: interface.name == "eth1" ? nil : "2001:db8::1")
        }
        let host = Self.host(
            interfaces, exits: exits, ipv4: Self.way(interfaces[4], [.reachable, .isWWAN]),
            ipv6: Self.way(interfaces[3]))
        let path = NWPath(host)
        #expect(path.availableInterfaces.map(\.name) == ["wwan0", "wlan0", "eth0"])
        #expect(path.usesInterfaceType(.wifi) && path.usesInterfaceType(.cellular))
        #expect(!path.usesInterfaceType(.wiredEthernet))
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
        let exits = interfaces.reversed().map { Self.exit($0, ipv4: "192.0.2.9") }
        let path = NWPath(Self.host(interfaces, exits: exits, ipv4: Self.way(interfaces[2])))
        #expect(
            path.availableInterfaces.map(\.name)
                == ["wlan0", "eth1", "eth0", "wwan0", "docker0", "tun0"])
    }

    @Test("A required type has a path if an interface of it leads to the internet")
    func required() throws {
        let wired = try Self.interface(2, "eth0", .wiredEthernet)
        let wifi = try Self.interface(3, "wlan0", .wifi)
        let modem = try Self.interface(4, "wwan0", .cellular)
        let host = Self.host(
            [wired, wifi, modem],
            exits: [
                Self.exit(wired, ipv4: "192.0.2.1", ipv6: "fe80::1"),
                Self.exit(wifi, ipv4: "198.51.100.1"), Self.exit(modem),
            ], ipv4: Self.way(wired, gateway: "192.0.2.1"),
            ipv6: Self.way(wired, gateway: "fe80::1"))
        let all = NWPath(host)
        #expect(all.availableInterfaces.map(\.name) == ["eth0", "wlan0"])
        #expect(
            all.gateways.map(\.debugDescription)
                == ["192.0.2.1:0", "fe80::1%eth0.0", "198.51.100.1:0"])
        let cable = NWPath(host) { $0.first == .wiredEthernet }
        #expect(cable.supportsIPv6 && cable.availableInterfaces.map(\.name) == ["eth0"])
        for radio in [
            NWPath(host) { $0.first == .wifi }, NWPath(host) { !$0.contains(.wiredEthernet) },
        ] {
            #expect(radio.status == .satisfied && radio.supportsIPv4 && !radio.supportsIPv6)
            #expect(radio.availableInterfaces.map(\.name) == ["wlan0"])
            #expect(radio.usesInterfaceType(.wifi) && !radio.usesInterfaceType(.wiredEthernet))
            #expect(radio.gateways.map(\.debugDescription) == ["198.51.100.1:0"])
        }
        let cellular = NWPath(host) { $0.first == .cellular }
        #expect(cellular.status == .unsatisfied && cellular.availableInterfaces.isEmpty)
        #expect(cellular.gateways.isEmpty && !cellular.supportsIPv4)
    }

    @Test("Without a required type, only the kernel's own path counts")
    func ownPath() throws {
        let wifi = try Self.interface(3, "wlan0", .wifi)
        let host = Self.host([wifi], exits: [Self.exit(wifi, ipv4: "198.51.100.1")])
        #expect(NWPath(host).status == .unsatisfied && NWPath(host).gateways.isEmpty)
        #expect(NWPath(host) { $0.first == .wifi }.status == .satisfied)
    }

    @Test("A path over a tunnel uses the type of the likeliest interface below it, too")
    func tunnel() throws {
        let wired = try Self.interface(2, "eth0", .wiredEthernet)
        let wifi = try Self.interface(3, "wlan0", .wifi)
        let bridge = try Self.interface(4, "docker0", .virtual)
        let tunnel = try Self.interface(5, "tun0", .vpn)
        func path(
            _ exits: [NetworkHost.Exit], over interface: NetworkInterface? = nil
        ) -> NWPath {
            NWPath(
                Self.host(
                    exits.map(\.interface) + [tunnel],
                    exits: exits + [Self.exit(tunnel, ipv4: "192.0.2.9")],
                    ipv4: Self.way(interface ?? tunnel)))
        }
        // The cable leads nowhere.
        let radio = path([Self.exit(bridge), Self.exit(wired), Self.exit(wifi, ipv4: "192.0.2.1")])
        #expect(radio.usesInterfaceType(.wifi) && radio.usesInterfaceType(.other))
        #expect(!radio.usesInterfaceType(.wiredEthernet))
        #expect(radio.availableInterfaces.map(\.name) == ["tun0", "wlan0"])
        let both = path([Self.exit(wifi, ipv4: "192.0.2.1"), Self.exit(wired, ipv6: "fe80::1")])
        #expect(both.usesInterfaceType(.wiredEthernet) && !both.usesInterfaceType(.wifi))
        // A VPN that has replaced the default route.
        let replaced = path([Self.exit(bridge), Self.exit(wifi)])
        #expect(replaced.usesInterfaceType(.wifi))
        let lost = path([Self.exit(bridge)])
        #expect(lost.status == .satisfied && lost.usesInterfaceType(.other))
        #expect(![.wifi, .cellular, .wiredEthernet].contains(where: lost.usesInterfaceType))
        // Without a tunnel, the interfaces in use count alone.
        #expect(!path([Self.exit(wifi, ipv4: "192.0.2.1")], over: wired).usesInterfaceType(.wifi))
    }

    @Test("If the kernel tells what carries a tunnel, no other interface counts")
    func knownCarrier() throws {
        let wired = try Self.interface(2, "eth0", .wiredEthernet)
        let modem = try Self.interface(3, "wwan0", .cellular)
        let (outer, inner) = try (Self.interface(4, "gre1", .vpn), Self.interface(5, "gre2", .vpn))
        let interfaces = [wired, modem, outer, inner]
        func path(_ carriers: [UInt32: UInt32]) -> NWPath {
            let host = Self.host(
                interfaces, exits: interfaces.map { Self.exit($0, ipv4: "192.0.2.1") },
                ipv4: Self.way(inner), carriers: carriers)
            return NWPath(host)
        }
        let guess = path([:])
        #expect(guess.usesInterfaceType(.wiredEthernet) && !guess.isExpensive)
        for carriers in [[5: 3], [5: 4, 4: 3]] as [[UInt32: UInt32]] {
            let told = path(carriers)
            #expect(told.usesInterfaceType(.cellular) && told.isExpensive)
            #expect(!told.usesInterfaceType(.wiredEthernet) && told.usesInterfaceType(.other))
        }
        // None, one that doesn't exist, and a circle.
        for carriers in [[5: 0], [5: 9], [5: 4, 4: 5]] as [[UInt32: UInt32]] {
            let lost = path(carriers)
            #expect(lost.status == .satisfied && lost.usesInterfaceType(.other))
            #expect(!lost.usesInterfaceType(.wiredEthernet) && !lost.isExpensive)
        }
    }

    @Test("A tunnel costs what the interface below it costs, unless it is metered itself")
    func tunnelCost() throws {
        let modem = try Self.interface(2, "wwan0", .cellular)
        let tunnel = try Self.interface(3, "wg0", .vpn)
        func host(isMetered: Bool?) -> NetworkHost {
            Self.host(
                [modem, tunnel], exits: [Self.exit(modem, ipv4: "192.0.2.1")],
                ipv4: Self.way(tunnel, isMetered: isMetered))
        }
        #expect(NWPath(host(isMetered: nil)).isExpensive)
        #expect(!NWPath(host(isMetered: false)).isExpensive)
        let monitor = { (path: NetworkHost, prohibited: NWInterface.InterfaceType) in
            NWPath(path, allowing: NWPathMonitor.avoiding([prohibited]))
        }
        #expect(monitor(host(isMetered: nil), .cellular).status == .unsatisfied)
        #expect(
            monitor(host(isMetered: nil), .wifi).availableInterfaces.map(\.name) == [
                "wg0", "wwan0",
            ])
        #expect(monitor(host(isMetered: nil), .other).availableInterfaces.map(\.name) == ["wwan0"])
    }

    @Test("Interfaces are equal by name and index, but paths differ if their types differ")
    func equality() throws {
        let wired = try Self.interface(2, "net0", .wiredEthernet)
        let wifi = try Self.interface(2, "net0", .wifi)
        let way = try Self.way(Self.interface(9, "eth0", .wiredEthernet))
        func path(_ interface: NetworkInterface) -> NWPath {
            let exit = Self.exit(interface, ipv4: "192.0.2.9")
            return NWPath(Self.host([interface], exits: [exit], ipv4: way))
        }
        let (one, other) = (path(wired), path(wifi))
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
            NWPath(Self.host([wired, modem], ipv4: way))
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
        let online = NWPath(Self.host([modem], ipv4: Self.way(modem, [.reachable, .isWWAN])))
        #expect(online.status == .satisfied && online.isExpensive && online.supportsIPv4)
        #expect(!online.supportsIPv6 && !online.supportsDNS)
        let dialling: ReachabilityFlags = [
            .reachable, .transientConnection, .connectionRequired, .isWWAN,
        ]
        let waiting = NWPath(Self.host([modem], ipv4: Self.way(modem, dialling)))
        #expect(waiting.status == .requiresConnection && waiting.availableInterfaces.isEmpty)
        #expect(!waiting.isExpensive && !waiting.supportsIPv4)
        #expect(waiting.debugDescription == "requires connection")
    }
}
