// SPDX-License-Identifier: MIT

import CReach
import Testing

@testable import NetworkReachability

@Suite("Targets")
struct TargetTests {
    @Test(
        "A domain is given as a host name or in a URL",
        arguments: [
            ("www.example.com", "www.example.com"),
            ("localhost", "localhost"),
            ("www.example.com.", "www.example.com."),
            ("_service.example", "_service.example"),
            ("https://www.example.com/x", "www.example.com"),
            ("https://www.example.com", "www.example.com"),
            ("HTTP://user:secret@www.example.com:8080/x?y=z#w", "www.example.com"),
            ("https://www.example.com?x=a@b", "www.example.com"),
            ("https://www.example.com:/", "www.example.com"),
            ("coap+tcp://www.example.com", "www.example.com"),
            (String(repeating: "a", count: 63), String(repeating: "a", count: 63)),
        ])
    func domains(input: String, name: String) throws {
        #expect(try ReachabilityTarget.domain(input).kind == .domain(name))
    }

    @Test(
        "A numeric address given as a domain makes an address target",
        arguments: [
            ("192.0.2.1", "192.0.2.1"), ("127.1", "127.0.0.1"), ("::1", "::1"),
            ("https://192.0.2.1:3000/", "192.0.2.1"), ("https://[2001:db8::1]/x", "2001:db8::1"),
            ("https://me@[2001:db8::1]:443", "2001:db8::1"), ("fe80::1%7", "fe80::1%7"),
            ("https://[fe80::1%257]/", "fe80::1%7"),
        ])
    func numericDomains(input: String, address: String) throws {
        let target = try ReachabilityTarget.domain(input)
        #expect(target.kind == .address(try NetworkAddress(address)))
        #expect(target.description == address)
    }

    typealias Bad = (input: String, code: ReachabilityError.Code, mend: String)

    static let bad: [Bad] = [
        ("", .emptyName, "www.example.com"),
        ("https://", .emptyName, "'https://'"),
        ("https:///x", .emptyName, "www.example.com"),
        ("https://user@:80/", .emptyName, "has no host"),
        ("www.example.com:443", .nameWithPort, "give 'www.example.com'"),
        ("192.168.3.1:3000", .nameWithPort, "give '192.168.3.1'"),
        ("[::1]:80", .nameWithPort, "give '::1'"),
        ("localhost:80/x", .nameWithPort, "give 'localhost'"),
        (":80", .emptyName, "has no host"), ("::1%lo", .invalidAddress, "'::1%lo'"),
        ("http:/a", .invalidName, "host name such as"),
        ("fe80::1%none", .unknownInterface, "see `ip link`"),
        ("https://[fe80::1%25none]/", .unknownInterface, "see `ip link`"),
        ("[::1]", .invalidName, "without the brackets"),
        ("www.example.com/x", .invalidName, "give 'www.example.com'"),
        ("//www.example.com", .invalidName, "host name"),
        ("mailto:me@example.com", .invalidName, "host name"),
        ("www.example.com:99999", .invalidName, "host name"),
        ("www.example.com:", .invalidName, "host name"),
        ("https://www.example.com:99999/", .invalidName, "0 to 65535"),
        ("https://www.example.com:http/", .invalidName, "0 to 65535"),
        ("https://[::1", .invalidName, "bracket"),
        ("https://[::1]x/", .invalidName, "0 to 65535"),
        ("https://[::zz]/", .invalidAddress, "::zz"),
        ("https://[192.0.2.1]/", .invalidName, "IPv6"),
        ("1x://www.example.com", .invalidName, "scheme"),
        ("://www.example.com", .invalidName, "scheme"),
        (" ", .invalidName, "letters"),
        ("www.example .com", .invalidName, "letters"),
        ("www.example.com\n", .invalidName, "letters"),
        ("www.example.com\0.evil", .invalidName, "letters"),
        ("127.0.0.1\0x", .invalidName, "letters"),
        ("b\u{fc}cher.example", .invalidName, "xn--"),
        ("me@example.com", .invalidName, "letters"),
        ("*", .invalidName, "letters"),
        ("it's", .invalidName, "'it's'"),
        ("\u{1b}[31mred", .invalidName, "'\\u{1B}[31mred'"),
        ("a\u{2028}b", .invalidName, "'a\\u{2028}b'"),
        (".", .invalidName, "dots"),
        ("..", .invalidName, "dots"),
        ("a..b", .invalidName, "dots"),
        (".example.com", .invalidName, "dots"),
        (String(repeating: "a", count: 64), .nameTooLong, "63"),
        (String(repeating: "a", count: 100_000), .nameTooLong, "3"),
        (String(repeating: "a.", count: 127) + "ab", .nameTooLong, "253"),
    ]

    @Test(
        "An invalid domain is rejected with an error that quotes it and says what to do",
        arguments: bad)
    func badDomains(row: Bad) {
        let error = #expect(throws: ReachabilityError.self) {
            try ReachabilityTarget.domain(row.input)
        }
        #expect(error?.code == row.code && error?.input == row.input)
        #expect(error?.description.contains(row.mend) == true, "\(String(describing: error))")
        #expect(error?.description.contains("\n") == false)
        #expect(error.map { $0.description.utf8.count < 400 } == true)
        #expect(throws: ReachabilityError.self) {
            try NetworkReachabilityManager(domain: row.input)
        }
    }

    @Test("Addresses can be made from text, bytes, and a sockaddr, and formatted as text")
    func addresses() throws {
        let v4 = try NetworkAddress(bytes: [192, 0, 2, 1])
        #expect(v4.description == "192.0.2.1" && v4.family == .ipv4)
        #expect(v4 == (try NetworkAddress("192.0.2.1")))
        let v6 = try NetworkAddress(
            bytes: [0xfe, 0x80] + Array(repeating: 0, count: 13) + [1], scopeID: 3)
        #expect(v6.bytes.count == 16 && v6.bytes.first == 0xfe)
        #expect(v6.scopeID == 3 && v6.description == "fe80::1%3")
        let socket: [UInt8] = [2, 0, 0x1f, 0x90, 192, 0, 2, 1] + Array(repeating: 0, count: 8)
        #expect(unsafe try socket.withUnsafeBytes { unsafe try NetworkAddress(sockaddr: $0) } == v4)
        #expect(
            try ReachabilityTarget.address(NetworkAddress(bytes: [127, 0, 0, 1])).kind
                == .address(NetworkAddress("127.0.0.1")))
    }

    @Test(
        "Text that is not an address is rejected",
        arguments: [
            "", "localhost", "1.2.3.4.5", "256.0.0.1", "::zz", "127.0.0.1:80", "127.0.0.1\0", "1 ",
        ])
    func badAddresses(text: String) {
        let error = #expect(throws: ReachabilityError.self) { try NetworkAddress(text) }
        #expect(error?.code == .invalidAddress && error?.input == text)
        #expect(throws: ReachabilityError.self) { try NetworkReachabilityManager(address: text) }
    }

    @Test("An address with a missing interface throws unknownInterface")
    func unknownScope() {
        let error = #expect(throws: ReachabilityError.self) {
            try NetworkAddress("fe80::1%nosuchif0")
        }
        #expect(error?.code == .unknownInterface && error?.errno == .noSuchDevice)
    }

    @Test("Bytes of a length other than 4 or 16 are rejected", arguments: [0, 1, 3, 5, 15, 17])
    func badBytes(count: Int) {
        let error = #expect(throws: ReachabilityError.self) {
            try NetworkAddress(bytes: [UInt8](repeating: 1, count: count))
        }
        #expect(error?.code == .invalidAddress)
    }

    @Test(
        "A socket address must be whole and of a known family",
        arguments: [
            ([UInt8](), ReachabilityError.Code.invalidAddress), ([2], .invalidAddress),
            ([2, 0, 0, 0, 1, 2, 3], .invalidAddress),
            ([10, 0] + [UInt8](repeating: 0, count: 14), .invalidAddress),
            ([1, 0] + [UInt8](repeating: 0, count: 100), .unsupportedFamily),
        ])
    func badSockets(bytes: [UInt8], code: ReachabilityError.Code) {
        let error = #expect(throws: ReachabilityError.self) {
            unsafe try bytes.withUnsafeBytes { unsafe try NetworkAddress(sockaddr: $0) }
        }
        #expect(error?.code == code)
    }

    @Test("An address pair needs at least one address, and two must be of one family")
    func pairs() throws {
        let v4 = try NetworkAddress("192.0.2.1")
        let v6 = try NetworkAddress("2001:db8::1")
        #expect(
            try ReachabilityTarget.addressPair(local: v4, remote: nil).description
                == "192.0.2.1 -> *")
        #expect(
            try ReachabilityTarget.addressPair(local: nil, remote: v6).description
                == "* -> 2001:db8::1")
        let empty = #expect(throws: ReachabilityError.self) {
            try ReachabilityTarget.addressPair(local: nil, remote: nil)
        }
        #expect(empty?.code == .invalidTarget)
        let mixed = #expect(throws: ReachabilityError.self) {
            try ReachabilityTarget.addressPair(local: v4, remote: v6)
        }
        #expect(mixed?.code == .invalidTarget)
    }

    @Test("Modifiers change a copy")
    func modifiers() throws {
        let plain = try ReachabilityTarget.domain("www.example.com")
        let target = try plain.with(interface: "wwan0").with(mark: 7).with(uid: 1000)
            .with(policy: .optimistic).with(namespace: .named("blue"))
        #expect(target.interfaceName == "wwan0" && target.mark == 7)
        #expect(target.uid == 1000)
        #expect(target.policy == .optimistic && plain.policy == .strict)
        #expect(target.namespace == .named("blue"))
        #expect(plain.interfaceName == nil && plain.mark == 0 && plain.uid == nil)
        #expect(target.with(interfaceIndex: 3).interfaceName == nil)
        #expect(target.with(interfaceIndex: 3).interfaceIndex == 3)
        #expect(target.with(interfaceIndex: 0).interfaceIndex == nil)
    }

    /// The scope of the address and the interface name that the C library receives.
    private func question(_ target: ReachabilityTarget) -> (scope: UInt32, interface: String) {
        var result = (scope: UInt32.max, interface: "")
        _ = unsafe target.withCValue { target in
            result.scope = unsafe target.pointee.remote.scope_id
            unsafe withUnsafeBytes(of: target.pointee.interface_name) { bytes in
                result.interface = unsafe String(
                    decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            return 0
        }
        return result
    }

    @Test(
        "With another namespace, an interface name in an address is passed on as a name",
        arguments: ["fe80::1%lo", "https://[fe80::1%25lo]:443/x"])
    func zones(text: String) throws {
        let target = try ReachabilityTarget.domain(text)
        #expect(question(target) == (1, ""))
        let elsewhere = target.with(namespace: .named("blue"))
        #expect(question(elsewhere) == (0, "lo"))
        #expect(question(elsewhere.with(namespace: .current)) == (1, ""))
        #expect(question(try elsewhere.with(interface: "eth0")) == (0, "eth0"))
        #expect(question(elsewhere.with(interfaceIndex: 3)) == (0, ""))
        #expect(question(try .address("fe80::1%lo").with(namespace: .named("blue"))) == (0, "lo"))
    }

    @Test("With another namespace, an interface index in an address stays the same")
    func zoneIndices() throws {
        let target = try ReachabilityTarget.address("fe80::1%7")
        #expect(question(target.with(namespace: .named("blue"))) == (7, ""))
        let address = try NetworkAddress("fe80::1%lo")
        #expect(question(.address(address).with(namespace: .named("blue"))) == (1, ""))
    }

    @Test(
        "Text that can't be an interface name is rejected",
        arguments: [
            "", ".", "..", "a b", "a\tb", "a\u{b}b", "a/b", "eth0:1", "sixteen-bytes-xx", "a\0",
            // Its second byte, 0xa0, is white space to the kernel.
            "à",
        ])
    func badInterfaces(name: String) {
        let error = #expect(throws: ReachabilityError.self) {
            try ReachabilityTarget.internet.with(interface: name)
        }
        #expect(error?.code == .invalidInterface)
    }

    @Test("Names and the internet accept a family, and other targets accept only their own")
    func families() throws {
        let name = try ReachabilityTarget.domain("www.example.com")
        #expect(try name.with(family: .ipv6).family == .ipv6)
        #expect(try name.with(family: .ipv6).with(family: nil) == name)
        #expect(try name.with(family: .ipv4) != name.with(family: .ipv6))
        #expect(try ReachabilityTarget.internet.with(family: .ipv4).family == .ipv4)
        // The address :: is another form of the internet.
        #expect(
            try ReachabilityTarget.address("::").with(family: .ipv6)
                == .internet.with(family: .ipv6))
        let address = try ReachabilityTarget.address("192.0.2.1")
        #expect(try address.with(family: .ipv4) == address)
        let pair = try ReachabilityTarget.addressPair(local: nil, remote: NetworkAddress("::1"))
        for (target, family) in [
            (address, NetworkAddress.Family.ipv6), (pair, .ipv4), (.localWiFi, .ipv4),
            (try .address("0.0.0.0"), .ipv6),
        ] {
            let error = #expect(throws: ReachabilityError.self) {
                try target.with(family: family)
            }
            #expect(error?.code == .invalidTarget && error?.input == target.description)
        }
    }
}
