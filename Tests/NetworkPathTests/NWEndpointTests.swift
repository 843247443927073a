// SPDX-License-Identifier: MIT

import NetworkReachability
import Testing

@testable import NetworkPath

@Suite("NWEndpoint")
struct NWEndpointTests {
    @Test("A host is an address if its text is one, else a name")
    func hosts() throws {
        let four = try #require(IPv4Address("192.0.2.1"))
        let six = try #require(IPv6Address("2001:db8:0::1"))
        #expect(NWEndpoint.Host("192.0.2.1") == .ipv4(four) && four.rawValue == [192, 0, 2, 1])
        #expect("2001:db8::1" == NWEndpoint.Host.ipv6(six) && six.rawValue.count == 16)
        #expect(six.interface == nil && "\(six)" == "2001:db8::1")
        #expect(NWEndpoint.Host("www.example.com") == .name("www.example.com", nil))
        #expect(IPv4Address("2001:db8::1") == nil && IPv6Address("192.0.2.1") == nil)
        #expect(IPv4Address("www.example.com") == nil && IPv6Address("fe80::1%1") == nil)
    }

    @Test("Constants and predicates of addresses have Apple's values")
    func addresses() throws {
        let four: [(IPv4Address, String)] = [
            (.any, "0.0.0.0"), (.broadcast, "255.255.255.255"), (.loopback, "127.0.0.1"),
            (.allHostsGroup, "224.0.0.1"), (.allRoutersGroup, "224.0.0.2"),
            (.allReportsGroup, "224.0.0.22"), (.mdnsGroup, "224.0.0.251"),
        ]
        for (address, text) in four { #expect("\(address)" == text) }
        let six: [(IPv6Address, String)] = [
            (.any, "::"), (.broadcast, "::"), (.loopback, "::1"), (.nodeLocalNodes, "ff01::1"),
            (.linkLocalNodes, "ff02::1"), (.linkLocalRouters, "ff02::2"),
        ]
        for (address, text) in six { #expect("\(address)" == text) }
        #expect(IPv6Address("ff02::1")?.multicastScope == .linkLocal)
        #expect(IPv6Address("ff03::1")?.multicastScope == nil)
        #expect(IPv6Address("fe02::1")?.multicastScope == nil)
        #expect(NWEndpoint.Host("::ffff:192.0.2.1") == "192.0.2.1")
    }

    @Test(
        "The same ranges as Apple's are loopback, link-local, and multicast",
        arguments: [
            ("127.0.0.1", [true, false, false]), ("127.0.0.2", [false, false, false]),
            ("169.254.1.0", [false, true, false]), ("169.253.1.0", [false, false, false]),
            ("224.0.0.1", [false, false, true]), ("239.255.255.255", [false, false, true]),
            ("240.0.0.1", [false, false, false]), ("::1", [true, false, false]),
            ("::2", [false, false, false]), ("febf::1", [false, true, false]),
            ("fec0::1", [false, false, false]), ("ff0e::1", [false, false, true]),
            ("fe00::1", [false, false, false]),
        ])
    func ranges(text: String, expected: [Bool]) throws {
        let address: any IPAddress = try #require(IPv4Address(text) ?? IPv6Address(text))
        #expect([address.isLoopback, address.isLinkLocal, address.isMulticast] == expected)
    }

    @Test(
        "IPv6 addresses are unspecified, unique local, 6to4, mapped, or compatible",
        arguments: [
            ("::", [true, false, false, false, false], nil),
            ("::1", [false, false, false, false, false], nil),
            ("fd00::1", [false, true, false, false, false], nil),
            ("2002::1", [false, false, true, false, false], nil),
            ("::ffff:1.2.3.4", [false, false, false, true, false], "1.2.3.4"),
            ("::1.2.3.4", [false, false, false, false, true], "1.2.3.4"),
            ("2001:db8::1", [false, false, false, false, false], nil),
        ] as [(String, [Bool], String?)])
    func kinds(text: String, expected: [Bool], four: String?) throws {
        let address = try #require(IPv6Address(text))
        let found = [
            address.isAny, address.isUniqueLocal, address.is6to4, address.isIPv4Mapped,
            address.isIPv4Compatabile,
        ]
        #expect(found == expected && address.asIPv4?.debugDescription == four)
    }

    @Test("Addresses, hosts, and endpoints have the interface that they belong to")
    func interfaces() throws {
        let interface = NWInterface(
            NetworkInterface(index: 2, name: "eth0", interfaceClass: .wiredEthernet, state: []))
        let four = try #require(IPv4Address([169, 254, 1, 2], interface))
        let six = try #require(IPv6Address(IPv6Address.linkLocalNodes.rawValue, interface))
        let hosts: [NWEndpoint.Host] = [.ipv4(four), .ipv6(six), .name("printer", interface)]
        for host in hosts {
            #expect(host.interface == interface && "\(host)".hasSuffix("%eth0"))
            #expect(NWEndpoint.hostPort(host: host, port: .any).interface == interface)
        }
        #expect(four != IPv4Address("169.254.1.2") && four.rawValue == [169, 254, 1, 2])
        #expect(IPv4Address([1, 2, 3]) == nil && IPv6Address([1, 2, 3, 4]) == nil)
        let mapped = IPv6Address("::ffff:169.254.1.2").flatMap {
            IPv6Address($0.rawValue, interface)
        }
        #expect(mapped?.asIPv4 == four)
        let service = NWEndpoint.service(name: "A", type: "B", domain: "C", interface: interface)
        #expect(service.interface == interface && NWEndpoint.unix(path: "/a").interface == nil)
        #expect(NWEndpoint.hostPort(host: "::1", port: .any).interface == nil)
    }

    @Test("A port is a number or a service, and nil for anything else")
    func ports() {
        #expect(NWEndpoint.Port(rawValue: 80) == .http && NWEndpoint.Port("443") == .https)
        #expect(NWEndpoint.Port("https") == 443 && NWEndpoint.Port("http") == 80)
        #expect(NWEndpoint.Port("65536") == nil && NWEndpoint.Port("gopher") == nil)
        #expect(NWEndpoint.Port.any.rawValue == 0 && "\(NWEndpoint.Port.https)" == "443")
    }

    @Test("Endpoints have the same text as Apple's")
    func descriptions() {
        let endpoints: [(NWEndpoint, String)] = [
            (.hostPort(host: "192.0.2.1", port: 80), "192.0.2.1:80"),
            (.hostPort(host: "2001:db8::1", port: .https), "2001:db8::1.443"),
            (.hostPort(host: "www.example.com", port: .any), "www.example.com:0"),
            (
                .service(name: "A", type: "_ipp._tcp", domain: "local", interface: nil),
                "A._ipp._tcp.local"
            ),
            (.unix(path: "/run/a"), "/run/a"),
            (.url("https://www.example.com/"), "https://www.example.com/"),
        ]
        for (endpoint, text) in endpoints { #expect("\(endpoint)" == text) }
    }
}
