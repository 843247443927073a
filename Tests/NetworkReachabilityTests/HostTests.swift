// SPDX-License-Identifier: MIT

import Foundation
import Testing

@testable import NetworkReachability

@Suite("The host", .needsNamespaces, .timeLimit(.minutes(10)), .blocking)
struct HostTests {
    typealias Updates = ReachabilityUpdates<NetworkHost, ReachabilityError>

    let namespace: Namespace
    let root: Folder
    let options: MonitorOptions
    let closed = Recorder<Bool>()
    var updates: Updates {
        NetworkHost.updates(in: .path(namespace.path), options: options)
    }

    init() throws {
        namespace = try Namespace.withDefaultRoute()
        root = try Folder("reach")
        options = MonitorOptions(
            etcRoot: root.url.path,
            resolver: { _ in [try? NetworkAddress("127.0.0.1")].compactMap(\.self) },
            onClose: { [closed] in closed.record(true) })
    }

    func interfaces(
        _ options: MonitorOptions
    ) -> ReachabilityUpdates<[NetworkInterface], ReachabilityError> {
        ReachabilityUpdates { [path = namespace.path] sink throws(ReachabilityError) in
            try MonitorHub.watchInterfaces(of: .path(path), options: options, sink)
        }
    }

    func configure(_ text: String) throws {
        try root.write(text, to: "resolv.conf")
    }

    /// The next value that meets a condition, after any number of others.
    func next(
        _ iterator: inout Updates.Iterator, where isAsked: (NetworkHost) -> Bool
    ) async throws -> NetworkHost {
        while let host = try await iterator.next() {
            if isAsked(host) { return host }
        }
        throw ReachabilityError.system(.invalidArgument, doing: "waiting for the host")
    }

    @Test("A snapshot of the host has its paths, gateways, interfaces, and name servers")
    func current() throws {
        try configure("nameserver 192.0.2.53\nnameserver 127.0.0.53\nsearch a.example\n")
        let host = try MonitorHandle.host(in: .path(namespace.path), options: options)
        #expect(host.isOnline && host.supportsIPv4 && !host.supportsIPv6 && host.supportsDNS)
        #expect(host.gateways.map(\.description) == ["10.9.0.2"])
        #expect(host.interfaces.map(\.name) == ["lo", "eth0"])
        #expect(host.nameServers.map(\.address.description) == ["192.0.2.53", "127.0.0.53"])
        #expect(host.nameServers.first?.snapshot.gateway == host.gateways.first)
        #expect(host.searchDomains == ["a.example"])
        try namespace.ip("route del default")
        try configure("nameserver 192.0.2.53\n")
        let offline = try MonitorHandle.host(in: .path(namespace.path), options: options)
        #expect(!offline.isOnline && !offline.supportsDNS && offline.gateways.isEmpty)
        #expect(offline.ipv4.reason == .noRoute)
    }

    @Test("A change of carrier yields one value with paths, name servers, and interfaces updated")
    func path() async throws {
        try configure("nameserver 192.0.2.53\n")
        var iterator = updates.makeAsyncIterator()
        let first = try #require(try await iterator.next())
        #expect(first.isOnline && first.supportsDNS)
        #expect(try MonitorHandle.host(in: .path(namespace.path), options: options) == first)
        try namespace.setCarrier(false)
        let unplugged = try #require(try await iterator.next())
        #expect(!unplugged.isOnline && !unplugged.supportsDNS)
        #expect(unplugged.interfaces.last?.isUsable == false)
        try namespace.setCarrier(true)
        let plugged = try await next(&iterator) { $0.isOnline }
        #expect(plugged.supportsDNS && plugged.interfaces.last?.isUsable == true)
    }

    @Test("A new IPv6 address or route is a change, even if IPv4 stays the same")
    func families() async throws {
        var iterator = updates.makeAsyncIterator()
        #expect(try await iterator.next()?.supportsIPv6 == false)
        try namespace.ip("addr add 2001:db8:9::1/64 dev eth0 nodad")
        let addressed = try await next(&iterator) { host in
            host.interfaces.contains {
                $0.addresses.contains { $0.prefixLength == 64 && $0.isUsable }
            }
        }
        #expect(!addressed.supportsIPv6)
        try namespace.ip("route add default via 2001:db8:9::2")
        let six = try await next(&iterator) { $0.supportsIPv6 }
        #expect(six.supportsIPv4)
        #expect(six.gateways.map(\.description) == ["10.9.0.2", "2001:db8:9::2"])
    }

    @Test("A new resolv.conf is a change, and its name servers are monitored")
    func resolver() async throws {
        try configure("nameserver 192.0.2.53\n")
        var iterator = updates.makeAsyncIterator()
        #expect(try await iterator.next()?.nameServers.count == 1)
        try configure("nameserver 198.51.100.53\nnameserver ::1\nsearch b.example\n")
        let other = try await next(&iterator) { $0.nameServers.count == 2 }
        #expect(other.searchDomains == ["b.example"])
        #expect(other.nameServers.first?.snapshot.status == .reachableViaWiFi)
        try namespace.ip("route add unreachable 198.51.100.53")
        let cut = try await next(&iterator) {
            $0.nameServers.first?.snapshot.status == .notReachable
        }
        #expect(cut.supportsDNS && cut.isOnline)
        for number in 1...3 {
            try configure("search c\(number).example\n")
            _ = try await next(&iterator) { $0.searchDomains == ["c\(number).example"] }
        }
    }

    @Test("A scoped name server is listed without its link, and its path comes with the link")
    func scopedServer() async throws {
        try configure("nameserver fe80::1%later0\n")
        var iterator = updates.makeAsyncIterator()
        let first = try #require(try await iterator.next())
        #expect(first.nameServers.map(\.address.description) == ["fe80::1"])
        #expect(first.nameServers.first?.snapshot.reason == .noInterface && !first.supportsDNS)
        try namespace.ip("link add later0 type veth peer name other0")
        try namespace.ip("link set other0 up")
        try namespace.ip("link set later0 addrgenmode none up")
        try namespace.ip("addr add fe80::2/64 dev later0 nodad")
        let linked = try await next(&iterator) { $0.supportsDNS }
        let link = try #require(linked.interfaces.first { $0.name == "later0" })
        #expect(linked.nameServers.map(\.address.scopeID) == [link.index])
    }

    @Test("Without a name server, the C library's own is listed, and isn't support for DNS")
    func noServer() throws {
        try configure("# none\n")
        let host = try MonitorHandle.host(in: .path(namespace.path), options: options)
        #expect(host.nameServers.map(\.address.description) == ["127.0.0.1"])
        #expect(host.nameServers.first?.snapshot.status.isReachable == true && !host.supportsDNS)
    }

    @Test(
        "Iterations share a monitor, a late one begins with the current value, and the last closes it"
    )
    func iterations() async throws {
        do {
            var first = updates.makeAsyncIterator()
            #expect(try await first.next()?.isOnline == true)
            var second = updates.makeAsyncIterator()
            #expect(try await second.next()?.isOnline == true)
            var interfaces = self.interfaces(options).makeAsyncIterator()
            #expect(try await interfaces.next()?.count == 2)
            var late = self.interfaces(options).makeAsyncIterator()
            #expect(try await late.next()?.count == 2)
            try namespace.ip("route del default")
            #expect(try await next(&first) { !$0.isOnline } == next(&second) { !$0.isOnline })
        }
        #expect(await closed.next() == true && closed.values.count == 1)
    }

    /// Each lookup has a target, and a refresh looks all targets up.
    @Test("Former name servers, and a host that nobody follows, are looked up no more")
    func former() async throws {
        try configure("nameserver 192.0.2.53\nnameserver 192.0.2.54\n")
        let path = NetworkNamespace.path(namespace.path)
        let manager = try NetworkReachabilityManager(
            target: .address("10.9.0.2").with(namespace: path), options: options)
        try manager.startMonitoring()
        func count() throws -> UInt64 {
            _ = try manager.currentSnapshot()
            return try MonitorHub.statistics(in: path, options)?.lookups ?? 0
        }
        // An answer may lead to a second lookup, in this thread or the loop's.
        func settled() async throws -> UInt64 {
            var last: UInt64
            repeat {
                last = try count()
                await inLoop()
            } while try count() != last
            return last
        }
        // The least of some: an event that comes late has answers looked up once more.
        func lookups() async throws -> UInt64 {
            var least = UInt64.max
            for _ in 0..<4 {
                let before = try await settled()
                try MonitorHub.refresh(in: path, options)
                least = min(least, try await settled() - before)
            }
            return least
        }
        let alone = try await lookups()
        #expect(alone > 0)
        do {
            var iterator = updates.makeAsyncIterator()
            _ = try await iterator.next()
            let two = try await lookups()
            try configure("nameserver 192.0.2.55\n")
            _ = try await next(&iterator) { $0.nameServers.count == 1 }
            #expect(try await lookups() < two)
        }
        await inLoop()
        #expect(try await lookups() == alone)
    }

    /// In its own process, where nothing else opens descriptors.
    @Test("Reading the host of a namespace leaves no descriptor")
    func namespaceClosed() async {
        await #expect(processExitsWith: .success) {
            let namespace = try Namespace()
            let counts = try (0..<20).map { _ in
                _ = try NetworkHost.current(in: .path(namespace.path))
                return descriptorCount()
            }
            precondition(counts.first == counts.last)
        }
    }

    @Test("The own addresses change with an address or its link, and not with other links")
    func addresses() async throws {
        let path = NetworkNamespace.path(namespace.path)
        let told = Recorder<[String]>()
        let task = Task {
            for try await addresses in NetworkHost.addresses(in: path) {
                told.record(addresses.map(\.description))
            }
        }
        #expect(await told.next() == ["10.9.0.1"])
        var links = NetworkInterface.updates(in: path).makeAsyncIterator()
        for isThere in [true, false] {
            try namespace.batch(
                isThere
                    ? [
                        "link add v0 type veth peer name v1", "link set v0 up", "link set v1 up",
                        "addr add fe80::7/64 dev v0 nodad",
                    ] : ["link del v0"])
            while let all = try await links.next(),
                all.contains(where: { $0.name == "v0" }) != isThere
            {}
        }
        try namespace.ip("addr add 2001:db8:9::1/64 dev eth0 nodad")
        #expect(await told.next() == ["10.9.0.1", "2001:db8:9::1"])
        try namespace.ip("addr del 10.9.0.1/24 dev eth0")
        #expect(await told.next() == ["2001:db8:9::1"])
        try namespace.setCarrier(false)
        #expect(await told.next() == [])
        #expect(told.values.count == 4)
        task.cancel()
    }

    @Test("A failing monitor or a missing namespace makes updates throw")
    func failures() async throws {
        let failing = MonitorOptions(fault: { .invalidArgument })
        await #expect(throws: ReachabilityError.self) {
            for try await _ in NetworkHost.updates(in: .path(namespace.path), options: failing) {}
        }
        await #expect(throws: ReachabilityError.self) {
            for try await _ in interfaces(failing) {}
        }
        await #expect(throws: ReachabilityError.self) {
            for try await _ in NetworkHost.updates(in: .named("no-such-namespace")) {}
        }
        await #expect(throws: ReachabilityError.self) {
            for try await _ in NetworkInterface.updates(in: .named("no-such-namespace")) {}
        }
        #expect(throws: ReachabilityError.self) {
            try NetworkHost.current(in: .named("no-such-namespace"))
        }
    }
}
