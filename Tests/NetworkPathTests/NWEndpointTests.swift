// SPDX-License-Identifier: MIT

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
