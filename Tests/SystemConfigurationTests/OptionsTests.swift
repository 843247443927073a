// SPDX-License-Identifier: MIT

import Foundation
import NetworkReachability
import Testing

@testable import SystemConfiguration

@Suite("Targets made of options", .timeLimit(.minutes(10)), .needsNamespaces)
struct OptionsTests {
    // Not stored: a leak detector does not see through Data's pointers.
    static var four: Data { SocketAddress("192.0.2.1").data }
    static var other: Data { SocketAddress("192.0.2.9").data }
    static var six: Data { SocketAddress("2001:db8::1").data }

    let queue = DispatchQueue.test()

    func make(_ options: [String: Any]) -> SCNetworkReachability? {
        SCNetworkReachabilityCreateWithOptions(nil, options as CFDictionary)
    }

    @Test("the keys are Apple's")
    func keys() {
        #expect(kSCNetworkReachabilityOptionNodeName == "nodename")
        #expect(kSCNetworkReachabilityOptionLocalAddress == "local-address")
        #expect(kSCNetworkReachabilityOptionRemoteAddress == "remote-address")
        #expect(kSCNetworkReachabilityOptionPTRAddress == "ptr-address")
        #expect(kSCNetworkReachabilityOptionInterface == "interface")
        #expect(kSCNetworkReachabilityOptionResolverBypass == "ResolverBypass")
        #expect(kSCNetworkReachabilityOptionServerBypass == "ServerBypass")
        #expect(
            kSCNetworkReachabilityOptionConnectionOnDemandBypass == "ConnectionOnDemandBypass")
    }

    /// Options, and what the description of their target has between the braces.
    struct Good: Sendable, CustomTestStringConvertible {
        let options: @Sendable () -> NSDictionary
        let testDescription: String

        init(
            _ testDescription: String,
            _ options: @autoclosure @escaping @Sendable () -> NSDictionary
        ) {
            self.options = options
            self.testDescription = testDescription
        }
    }

    static let good = [
        Good("name = www.example.com", ["nodename": "www.example.com"]),
        Good("name = https://www.example.com/", ["nodename": "https://www.example.com/"]),
        Good("name = www.example.com", ["nodename": "www.example.com" as CFString]),
        Good("name = a, !resolve", ["nodename": "a", "ResolverBypass": true]),
        Good("name = a", ["nodename": "a", "ResolverBypass": false]),
        Good("name = a", ["nodename": "a", "ResolverBypass": NSNumber(value: false)]),
        Good(
            "name = a, if_index = 1, !resolve",
            ["nodename": "a", "ResolverBypass": true, "interface": "lo"]),
        Good("address = 192.0.2.1", ["nodename": "192.0.2.1"]),
        Good("address = 192.0.2.1", ["remote-address": four]),
        Good("address = 192.0.2.1", ["remote-address": four as NSData]),
        Good("address = 2001:db8::1, if_index = 1", ["remote-address": six, "interface": "lo"]),
        Good(
            "address = 192.0.2.1, !resolve",
            ["remote-address": four, "ResolverBypass": true]),
        Good("local address = 192.0.2.1, default path", ["local-address": four]),
        Good(
            "local address = 192.0.2.1, remote address = 192.0.2.9, if_index = 1",
            ["local-address": four, "remote-address": other, "interface": "lo"]),
        Good(
            "address = 192.0.2.9",
            ["local-address": SocketAddress("127.0.0.1").data, "remote-address": other]),
        Good("default path", ["remote-address": SocketAddress("0.0.0.0").data]),
        Good(
            "default path, if_index = 1",
            ["remote-address": SocketAddress("::").data, "interface": "lo"]),
        Good(
            "address = 192.0.2.1",
            [
                "remote-address": four, "ServerBypass": true, "ConnectionOnDemandBypass": true,
                "servname": "http",
            ]),
    ]

    @Test("options make the target they describe", arguments: good)
    func accepted(row: Good) throws {
        let target = try #require(SCNetworkReachabilityCreateWithOptions(nil, row.options()))
        #expect("\(target)".hasSuffix("> {\(row.testDescription)}"))
    }

    static let bad = [
        Good("nothing", [:]),
        Good("no target", ["interface": "lo", "ResolverBypass": true]),
        Good("an empty name", ["nodename": ""]),
        Good("a name of another type", ["nodename": 1]),
        Good("a name and an address", ["nodename": "a", "remote-address": four]),
        Good("a name and a local address", ["nodename": "a", "local-address": four]),
        Good("a name and a reverse address", ["nodename": "a", "ptr-address": four]),
        Good("a reverse address", ["ptr-address": four]),
        Good("a reverse address and an address", ["ptr-address": four, "remote-address": four]),
        Good("a reverse and a local address", ["ptr-address": four, "local-address": four]),
        Good("an address of another type", ["remote-address": "192.0.2.1"]),
        Good("a local address of another type", ["local-address": "192.0.2.1"]),
        Good("no data", ["remote-address": Data()]),
        Good("a short address", ["remote-address": four.prefix(15)]),
        Good("a short IPv6 address", ["remote-address": six.prefix(27)]),
        Good("a short local address", ["local-address": four.prefix(8)]),
        Good("another family", ["remote-address": SocketAddress(family: AF_UNIX).data]),
        Good("two families", ["local-address": four, "remote-address": six]),
        Good("an unknown interface", ["remote-address": four, "interface": "no-such-if"]),
        Good("an interface without a name", ["remote-address": four, "interface": ""]),
        Good(
            "a long interface", ["nodename": "a", "interface": String(repeating: "x", count: 99)]),
        Good("an interface of another type", ["remote-address": four, "interface": 1]),
        Good("a bypass of another type", ["nodename": "a", "ResolverBypass": "yes"]),
        Good(
            "another bypass of another type",
            ["remote-address": four, "ConnectionOnDemandBypass": "yes"]),
        Good("a third bypass of another type", ["remote-address": four, "ServerBypass": four]),
    ]

    @Test("options that make no target are refused", arguments: bad)
    func refused(row: Good) {
        ThreadStatus.current = 0
        #expect(SCNetworkReachabilityCreateWithOptions(nil, row.options()) == nil)
        #expect(SCError() == kSCStatusInvalidArgument)
    }

    @Test("an interface narrows addresses, the default path and names")
    func scoped() throws {
        let host = try Namespace.withDefaultRoute()
        try host.ip("link add idle type veth peer name p1")
        let kinds: [[String: Any]] = [
            ["remote-address": SocketAddress("198.51.100.1").data],
            ["remote-address": SocketAddress("0.0.0.0").data],
            ["nodename": "no-such-name.test"],
            ["nodename": "no-such-name.test", "ResolverBypass": true],
            ["nodename": "https://www.example.com/"],
        ]
        let index = try Int32(host.index(of: "eth0"))
        for kind in kinds {
            let ways = try ["eth0", "idle"].map { interface in
                try host.run { make(kind.merging(["interface": interface]) { $1 }) }
            }
            let through = try #require(ways[0])
            let beside = try #require(ways[1])
            #expect(try host.run { flags(of: through) } == .reachable)
            #expect(
                try host.run { SCNetworkReachabilityGetInterfaceIndex(through) } == index)
            #expect(try host.run { flags(of: beside) } == [])
            #expect(try host.run { SCNetworkReachabilityGetInterfaceIndex(beside) } == -1)
        }
    }

    @Test("a rule against an interface's traffic is seen there, and its end")
    func policy() async throws {
        let host = try Namespace.withDefaultRoute()
        let target = try #require(
            try host.run {
                make([
                    "remote-address": SocketAddress("198.51.100.1").data, "interface": "eth0",
                ])
            })
        let info = Info()
        info.listen(to: target)
        #expect(try host.schedule(target, queue))
        #expect(flags(of: target) == .reachable)
        try host.ip("rule add to 198.51.100.0/24 prohibit")
        #expect(await info.flags.next() == [])
        #expect(SCNetworkReachabilityGetInterfaceIndex(target) == -1)
        try host.ip("rule del to 198.51.100.0/24 prohibit")
        #expect(await info.flags.next() == .reachable)
        SCNetworkReachabilitySetDispatchQueue(target, nil)
    }

    @Test(
        "a name that bypasses the resolver follows the default path, and calls back at least once")
    func bypass() async throws {
        let host = try Namespace.withDefaultRoute()
        for name in ["no-such-name.test", "https://www.example.com/"] {
            let target = try #require(make(["nodename": name, "ResolverBypass": true]))
            let info = Info()
            info.listen(to: target)
            #expect(try host.schedule(target, queue))
            #expect(await info.flags.next() == .reachable)
            let text = "{name = \(name), !resolve, flags = 0x00000002, if_index = "
            #expect(target.description.contains(text))
            try host.ip("route del default")
            #expect(await info.flags.next() == [])
            try host.ip("route add default via 10.9.0.2")
            #expect(await info.flags.next() == .reachable)
            #expect(SCNetworkReachabilitySetDispatchQueue(target, nil))
            #expect(SCNetworkReachabilityCopyResolvedAddress(target, nil) == nil)
        }
    }

    @Test("the addresses of a name can be had once they are known, as socket addresses")
    func addresses() async throws {
        let namespace = try Namespace()
        let known = ["198.51.100.1", "fe80::7%1"].compactMap { try? NetworkAddress($0) }
        let target = try SCNetworkReachability(
            Endpoint(name: "two.test"), options: MonitorOptions(resolver: { _ in known }))
        let copy = { SCNetworkReachabilityCopyResolvedAddress(target, nil) as? [Data] }
        #expect(copy() == nil)
        let info = Info()
        info.listen(to: target)
        #expect(try namespace.schedule(target, queue))
        while copy() == nil && !Task.isCancelled { await settle(queue) }
        #expect(copy()?.map(\.count) == [16, 28])
        let read = try copy()?.map { data in
            try unsafe data.withUnsafeBytes { unsafe try NetworkAddress(sockaddr: $0) }
        }
        #expect(read == known)
        SCNetworkReachabilitySetDispatchQueue(target, nil)
        #expect(copy() == nil)
    }

    @Test("who asks for addresses is told why there are none")
    func addressStatus() throws {
        var error: Int32 = 77
        let address = try #require(SocketAddress("127.0.0.1").target)
        ThreadStatus.current = 0
        #expect(unsafe SCNetworkReachabilityCopyResolvedAddress(address, &error) == nil)
        #expect(SCError() == kSCStatusInvalidArgument && error == 77)
        let name = try #require(unsafe SCNetworkReachabilityCreateWithName(nil, "a b"))
        #expect(unsafe SCNetworkReachabilityCopyResolvedAddress(name, &error) == nil)
        #expect(SCError() == kSCStatusOK && error == 0)
    }

    @Test("the interface is that of the flags, scheduled or not")
    func interface() async throws {
        let namespace = try Namespace.withAddress()
        let target = try #require(SocketAddress("192.0.2.1").target)
        let index = { SCNetworkReachabilityGetInterfaceIndex(target) }
        #expect(try namespace.run(index) == 1)
        let info = Info()
        info.listen(to: target)
        #expect(try namespace.schedule(target, queue))
        #expect(index() == 1)
        try namespace.setAddress(false)
        #expect(await info.flags.next() == [])
        #expect(index() == -1)
        SCNetworkReachabilitySetDispatchQueue(target, nil)
        #expect(try namespace.run(index) == -1)
    }

    @Test("asking for the interface leaves a name its first call")
    func unasked() async throws {
        let host = try Namespace.withDefaultRoute()
        let target = try #require(unsafe SCNetworkReachabilityCreateWithName(nil, "a b"))
        let info = Info()
        info.listen(to: target)
        queue.suspend()
        #expect(try host.schedule(target, queue))
        #expect(SCNetworkReachabilityGetInterfaceIndex(target) > 0)
        queue.resume()
        #expect(await info.flags.next() == .reachable)
        SCNetworkReachabilitySetDispatchQueue(target, nil)
    }
}
