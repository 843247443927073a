// SPDX-License-Identifier: MIT

import Foundation
import Synchronization
import Testing

@testable import SystemConfiguration

@Suite("Input for targets")
struct BadInputTests {
    static let good = SocketAddress("192.0.2.1")

    @Test(
        "An address of a family other than IPv4 and IPv6 is rejected",
        arguments: [AF_UNSPEC, AF_UNIX, AF_NETLINK, AF_PACKET, 255, 65535])
    func families(family: Int32) {
        let bad = SocketAddress(family: family)
        let attempts: [() -> SCNetworkReachability?] = [
            { bad.target }, { pair(bad, nil) }, { pair(nil, bad) }, { pair(bad, Self.good) },
            { pair(Self.good, bad) },
        ]
        for attempt in attempts {
            ThreadStatus.current = 0
            #expect(attempt() == nil && SCError() == kSCStatusInvalidArgument)
        }
    }

    @Test("Without free descriptors, scheduling a target fails with EMFILE")
    func noDescriptors() async {
        await #expect(processExitsWith: .success) { scheduleWithoutDescriptors() }
    }

    @Test("A pair needs at least one address, and two must be of one family")
    func pairs() {
        ThreadStatus.current = 0
        #expect(pair(nil, nil) == nil && SCError() == kSCStatusInvalidArgument)
        ThreadStatus.current = 0
        #expect(pair(SocketAddress("192.0.2.1"), SocketAddress("2001:db8::1")) == nil)
        #expect(SCError() == kSCStatusInvalidArgument)
        #expect(pair(SocketAddress("192.0.2.1"), nil) != nil)
        #expect(pair(nil, SocketAddress("192.0.2.1")) != nil)
    }

    typealias Shape = (input: String, shape: String)

    @Test(
        "A name that is a numeric address makes an address target",
        arguments: [
            ("127.0.0.1", "address = 127.0.0.1"), ("127.1", "address = 127.0.0.1"),
            ("1", "address = 0.0.0.1"), ("0x7f.1", "address = 127.0.0.1"),
            ("::1", "address = ::1"), ("2001:DB8::0:1", "address = 2001:db8::1"),
            ("fe80::1%1", "address = fe80::1%1"), ("0.0.0.0", "default path"),
            ("0", "default path"), ("::", "default path"),
        ])
    func numericNames(row: Shape) throws {
        let target = try #require(unsafe SCNetworkReachabilityCreateWithName(nil, row.input))
        #expect("\(target)".hasSuffix("{\(row.shape)}"))
        #expect(!target.endpoint.isName)
    }

    @Test(
        "Any other text makes a name target",
        arguments: [
            "localhost", "www.example.com", "www.example.com.", "https://www.example.com/",
            "192.0.2.1:80", "www.example.com:80", "a b", " ", ".", "...", "a..b", "host..", "@",
            "fe80::1%no-such-if", "[::1]", "1.2.3.4.5", "\u{1F310}", "\n",
            String(repeating: "a", count: 64), String(repeating: "a.", count: 500),
        ])
    func names(name: String) throws {
        let target = try #require(unsafe SCNetworkReachabilityCreateWithName(nil, name))
        #expect("\(target)".hasSuffix("{name = \(name)}"))
        #expect(target.endpoint.isName)
    }

    @Test("Bytes that are not UTF-8 are accepted as a name")
    func noText() {
        let bytes: [CChar] = [-1, -2, 0x41, 0]
        #expect(unsafe SCNetworkReachabilityCreateWithName(nil, bytes) != nil)
    }

    @Test("The zero address of either family is the default path")
    func zero() throws {
        for address in ["0.0.0.0", "::"].map(SocketAddress.init) {
            for target in [
                address.target, pair(address, nil), pair(nil, address), pair(address, address),
            ] {
                #expect("\(try #require(target))".hasSuffix("{default path}"))
            }
        }
    }

    @Test("A sockaddr with nothing but a family is the default path")
    func bare() throws {
        var address = sockaddr()
        address.sa_len = UInt8(MemoryLayout<sockaddr>.size)
        address.sa_family = sa_family_t(AF_INET)
        let target = try #require(
            unsafe SCNetworkReachabilityCreateWithAddress(kCFAllocatorDefault, &address))
        #expect("\(target)".hasSuffix("{default path}"))
    }

    @Test(
        "A pair keeps only the addresses that have an effect",
        arguments: [
            ("192.0.2.1", "192.0.2.9", "local address = 192.0.2.1, remote address = 192.0.2.9"),
            ("127.0.0.1", "192.0.2.9", "address = 192.0.2.9"),
            ("127.0.0.1", "127.0.0.2", "local address = 127.0.0.1, remote address = 127.0.0.2"),
            ("::1", "2001:db8::1", "local address = ::1, remote address = 2001:db8::1"),
            ("0.0.0.0", "192.0.2.9", "address = 192.0.2.9"),
            ("192.0.2.1", "0.0.0.0", "local address = 192.0.2.1, default path"),
        ])
    func shapes(row: (local: String, remote: String, shape: String)) throws {
        let target = try #require(pair(SocketAddress(row.local), SocketAddress(row.remote)))
        #expect("\(target)".hasSuffix("{\(row.shape)}"))
    }

    @Test("A socket address has the length of its family, and setting it has no effect")
    func lengths() {
        var four = sockaddr_in()
        four.sin_len = 99
        #expect(four.sin_len == 16 && four.sin_family == 0)
        var six = sockaddr_in6()
        six.sin6_len = 99
        #expect(six.sin6_len == 28 && six.sin6_family == 0)
        var any = sockaddr()
        any.sa_len = 99
        #expect(any.sa_len == 16 && any.sa_family == 0)
        any.sa_family = sa_family_t(AF_INET6)
        #expect(any.sa_len == 28)
        var storage = sockaddr_storage()
        storage.ss_family = sa_family_t(AF_INET)
        storage.ss_len = 99
        #expect(storage.ss_len == 16)
    }

    @Test("The older constants have the same bits")
    func legacy() {
        let bits = [
            kSCNetworkFlagsTransientConnection, kSCNetworkFlagsReachable,
            kSCNetworkFlagsConnectionRequired, kSCNetworkFlagsConnectionAutomatic,
            kSCNetworkFlagsInterventionRequired, kSCNetworkFlagsIsLocalAddress,
            kSCNetworkFlagsIsDirect,
        ]
        #expect(bits == [1, 2, 4, 8, 16, 0x10000, 0x20000])
    }
}

private func scheduleWithoutDescriptors() {
    let most = limitDescriptors(to: 0)
    // A sanitizer opens files when the process ends.
    defer { limitDescriptors(to: most) }
    guard let target = unsafe SCNetworkReachabilityCreateWithName(nil, "http://www.example.com/")
    else { preconditionFailure("no target") }
    let queue = DispatchQueue(label: "BadInputTests")
    precondition(!SCNetworkReachabilitySetDispatchQueue(target, queue))
    precondition(SCError() == EMFILE)
}
