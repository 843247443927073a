// SPDX-License-Identifier: MIT
import NetworkReachability
import SwiftTestSupport
import Testing

@testable import ReachabilityConnectivity

@Suite("Probes against real servers", .needsNamespaces, .timeLimit(.minutes(10)))
struct ProbeTests {
    let networks: Networks

    init() throws {
        networks = try Networks()
    }

    func ask(
        _ behavior: Server.Behavior, status: Int = 204, body: String? = nil,
        scheme: String = "http", timeout: Duration = .seconds(3600)
    ) async throws -> ProbeAnswer {
        let server = try Server(in: networks.first, behavior)
        defer { server.end() }
        let probe = try ConnectivityProbe.http(
            "\(scheme)://10.9.0.2:\(server.port)/x", status: status, body: body, timeout: timeout)
        return await probe.run(networks.target, .unknown)
    }

    /// The answer of a server that the test has started.
    func answer(
        from url: String, for target: ReachabilityTarget? = nil
    ) async throws -> ProbeAnswer {
        try await ConnectivityProbe.patient(url).run(target ?? networks.target, .unknown)
    }

    @Test("Status 204 is full, whatever interim answers precede it")
    func noContent() async throws {
        #expect(try await ask(.answer(http(204))).level == .full)
        #expect(
            try await ask(.answer("HTTP/1.1 103 Early Hints\r\n\r\n" + http(204))).level == .full)
        // A body is not read unless the probe expects one.
        #expect(try await ask(.flood("HTTP/1.1 200 OK\r\n\r\n", "x"), status: 200).level == .full)
    }

    @Test("A proxy sends the request on, and resolves the server's name")
    func proxy() async throws {
        let server = try networks.serve(.answer(http(204)))
        let proxy = "http://10.9.0.2:\(server.port)"
        let probe = try ConnectivityProbe.http(
            "http://nosuch.invalid/x", headers: ["Accept-Language": "de"], proxy: proxy,
            timeout: .seconds(3600))
        #expect(await probe.run(networks.target, .unknown).level == .full)
        let plain = await server.requests.next()
        #expect(plain?.hasPrefix("GET http://nosuch.invalid/x HTTP/1.1\r\n") == true)
        #expect(plain?.contains("Accept-Language: de") == true)
        // With TLS the proxy sees a tunnel, and no header that is meant for the server.
        server.behave(.answer(http(407, headers: ["Location: http://login.example.com/"])))
        let tunnel = try ConnectivityProbe.http(
            "https://nosuch.invalid/x", headers: ["Authorization": "Bearer 1"], proxy: proxy,
            timeout: .seconds(3600))
        let refused = await tunnel.run(networks.target, .unknown)
        #expect(refused.level == .limited && refused.failure?.description.contains("407") == true)
        let request = await server.requests.next()
        #expect(request?.hasPrefix("CONNECT nosuch.invalid:443 HTTP/1.1\r\n") == true)
        #expect(request?.contains("Authorization") == false)
        // The proxy's consent isn't the server's answer, which doesn't come.
        server.behave(.answer("HTTP/1.1 200 OK\r\n\r\n"))
        let ended = await tunnel.run(networks.target, .unknown)
        #expect(ended.level == .limited && ended.failure?.code == .tls)
    }

    @Test("A redirect, an unexpected page, and status 511 are a captive portal")
    func portal() async throws {
        let location = "Location: http://login.example.com/?from=x"
        for status in [301, 302, 303, 307, 308] {
            let answer = try await ask(.answer(http(status, headers: [location])))
            #expect(answer.level == .portal(url: "http://login.example.com/?from=x"))
        }
        for status in [200, 203, 300, 511] {
            let answer = try await ask(.answer(http(status, body: "<html>Welcome")))
            #expect(answer.level == .portal(url: nil))
            #expect(answer.failure?.description == "the status \(status), expected 204")
        }
        // Only a redirect has the portal's URL.
        let created = try await ask(.answer(http(201, headers: [location])))
        #expect(created.level == .portal(url: nil))
    }

    @Test("An error status of the server is limited, and not a portal")
    func serverError() async throws {
        for status in [403, 404, 500, 503] {
            let answer = try await ask(.answer(http(status, body: "no")))
            #expect(answer.level == .limited)
            #expect(answer.failure?.code == .unexpectedAnswer && answer.failure?.status == status)
        }
        #expect(try await ask(.answer("SSH-2.0-OpenSSH_9.2\r\n")).failure?.status == nil)
    }

    @Test("A body must be the expected one, except for white space at its end")
    func body() async throws {
        func level(_ body: String, _ expected: String = "online") async throws -> ConnectivityLevel
        {
            try await ask(.answer(http(200, body: body)), status: 200, body: expected).level
        }
        #expect(try await level("online") == .full)
        #expect(try await level("online\r\n", "online\n") == .full)
        #expect(try await level("onlin") == .portal(url: nil))
        #expect(try await level("online or not") == .portal(url: nil))
        #expect(try await level("") == .portal(url: nil))
        #expect(try await level("", "") == .full)
        let long = String(repeating: "a", count: 4096)
        #expect(try await level(long, long) == .full)
        #expect(try await level(long + "a", long) == .portal(url: nil))
        let wrong = try await ask(.answer(http(200, body: "x")), status: 200, body: "online")
        #expect(wrong.failure?.description == "the body differs from the expected one")
    }

    @Test("An answer that comes byte by byte ends with a timeout")
    func slow() async throws {
        let slow = try await ask(.drip(http(204) + http(204)), timeout: .milliseconds(300))
        #expect(slow.level == .limited && slow.failure?.code == .timedOut)
    }

    @Test("A connection that ends early is limited")
    func closed() async throws {
        for behavior in [Server.Behavior.reset, .answer("")] {
            let answer = try await ask(behavior)
            #expect(answer.level == .limited && answer.failure?.code == .closed)
        }
    }

    @Test("Endless interim answers are not read without end")
    func endless() async throws {
        let interim = try await ask(.flood("", "HTTP/1.1 103 Early Hints\r\n\r\n"))
        #expect(interim.level == .limited && interim.failure?.code == .unexpectedAnswer)
    }

    @Test("A server without TLS, or one that ends the handshake, is limited")
    func tls() async throws {
        let plain = try await ask(.answer(http(204)), scheme: "https")
        #expect(plain.level == .limited && plain.failure?.code == .tls)
        for behavior in [Server.Behavior.answer(""), .reset] {
            #expect(try await ask(behavior, scheme: "https").level == .limited)
        }
    }

    @Test("A name that can't be resolved is limited")
    func noName() async throws {
        for family in ["-4", "-6"] { try networks.host.ip("\(family) route flush default") }
        let answer = try await answer(from: "http://nosuch.invalid/")
        #expect(answer.level == .limited && answer.failure?.code == .nameNotResolved)
    }

    @Test("A probe works over IPv6 alone, if the target has no other family")
    func inet6() async throws {
        try networks.removeIPv4()
        let server = try networks.serve(.answer(http(204)))
        let url = "http://[2001:db8::1]:\(server.port)/"
        let six = try await answer(from: url, for: networks.target.with(family: .ipv6))
        #expect(six.level == .full, "\(six)")
        // The probe uses the target's family.
        let four = try await answer(from: url, for: networks.target.with(family: .ipv4))
        #expect(four.level == .limited)
    }

    @Test("A zone names an interface of the target's namespace")
    func zone() async throws {
        try networks.first.ip("addr add fe80::99/64 dev p0 nodad")
        try networks.host.ip("addr add fe80::98/64 dev eth0 nodad")
        let server = try networks.serve(.answer(http(204)))
        for (name, level) in [("eth0", ConnectivityLevel.full), ("gone0", .limited)] {
            let url = "http://[fe80::99%25\(name)]:\(server.port)/"
            #expect(try await answer(from: url).level == level)
        }
    }

    @Test("The target's interface decides which of two networks is probed")
    func bound() async throws {
        try networks.serve(.answer(http(204)), port: 8080)
        let location = "Location: http://portal.example/"
        try networks.serve(.answer(http(302, headers: [location])), in: networks.second, port: 8080)
        for host in ["192.0.2.1", "[2001:db8::1]"] {
            let url = "http://\(host):8080/"
            let probe = try ConnectivityProbe.patient(url)
            let target = networks.target
            let portal = ConnectivityLevel.portal(url: "http://portal.example/")
            #expect(try await answer(from: url).level == .full)
            for (name, level) in [("eth0", ConnectivityLevel.full), ("eth1", portal)] {
                let bound = try target.with(interface: name)
                #expect(try await answer(from: url, for: bound).level == level)
            }
            let index = try networks.host.index(of: "eth1")
            let snapshot = ReachabilitySnapshot(
                flags: .reachable,
                interface: .init(index: index, name: "eth1", interfaceClass: .wiredEthernet))
            #expect(
                await probe.run(target.with(interfaceIndex: index), snapshot).level == portal)
            let gone = try await answer(from: url, for: target.with(interface: "gone0"))
            #expect(gone.level == .unknown && gone.failure?.code == .notBound)
        }
    }

    @Test("The target's mark decides which network is probed, if a rule selects by it")
    func marked() async throws {
        try networks.host.batch([
            "rule add fwmark 7 table 70", "route add default via 10.8.0.2 table 70",
        ])
        try networks.serve(.answer(http(204)), port: 8080)
        let second = try networks.serve(.answer(http(511)), in: networks.second, port: 8080)
        let url = "http://192.0.2.1:8080/"
        #expect(try await answer(from: url).level == .full)
        let marked = try await answer(from: url, for: networks.target.with(mark: 7))
        #expect(marked.level == .portal(url: nil))
        #expect(second.requests.values.count == 1)
    }

    @Test("A TCP probe is full if any of the addresses accepts a connection")
    func tcp() async throws {
        let server = try networks.serve(.hang)
        let probe = try ConnectivityProbe.tcp(port: Int(server.port), timeout: .seconds(3600))
        func answer(_ addresses: [String], at probe: ConnectivityProbe) async throws -> ProbeAnswer
        {
            let snapshot = ReachabilitySnapshot(
                flags: .reachable, addresses: try addresses.map { try NetworkAddress($0) })
            let target = try ReachabilityTarget.domain("db.example.com")
                .with(namespace: .path(networks.host.path))
            return await probe.run(target, snapshot)
        }
        #expect(try await answer(["10.9.0.2"], at: probe).level == .full)
        // Without an entry, the kernel reports after three seconds that the host is unreachable.
        try networks.host.ip("neigh add 10.9.0.77 lladdr 02:00:00:00:00:77 dev eth0 nud permanent")
        // Silent, refused, without a route, and then the server.
        let all = ["10.9.0.77", "10.9.0.1", "fd00:77::1", "fd00:9::2"]
        #expect(try await answer(all, at: probe).level == .full)
        let refused = try await answer(["10.9.0.1", "fd00:9::1"], at: probe)
        #expect(refused.level == .limited && refused.failure?.code == .notConnected)
        let short = try ConnectivityProbe.tcp(port: 9, timeout: .milliseconds(50))
        #expect(try await answer(["10.9.0.77"], at: short).failure?.code == .timedOut)
        let target = try ReachabilityTarget.address("10.9.0.2")
            .with(namespace: .path(networks.host.path)).with(interface: "eth1")
        #expect(await short.run(target, .unknown).level == .limited)
        let gone = await probe.run(try target.with(interface: "gone0"), .unknown)
        #expect(gone.failure?.code == .notBound)
        let pair = try ReachabilityTarget.addressPair(
            local: NetworkAddress("10.9.0.1"), remote: NetworkAddress("10.9.0.2"))
        #expect(
            await probe.run(pair.with(namespace: .path(networks.host.path)), .unknown).level
                == .full)
    }

    @Test("A request has only the headers that it needs")
    func request() async throws {
        let server = try networks.serve(.answer(http(204)))
        let url = "http://10.9.0.2:\(server.port)/check?x=1"
        #expect(try await answer(from: url).level == .full)
        #expect(
            server.requests.values == [
                "GET /check?x=1 HTTP/1.1\r\nHost: 10.9.0.2:\(server.port)\r\nAccept: */*\r\n"
                    + "Connection: close\r\n\r\n"
            ])
    }

    @Test("Cancelling its task ends a probe", arguments: ["hang", "dns", "tcp", "connect"])
    func cancel(what: String) async throws {
        let server = try networks.serve(.hang)
        let probe =
            switch what {
            case "hang":
                try ConnectivityProbe.patient("http://10.9.0.2:\(server.port)/")
            // Packets to the name server are lost in the first network.
            case "dns":
                try ConnectivityProbe.patient("http://www.example.com/")
            case "connect":
                try ConnectivityProbe.patient("http://10.9.0.77/")
            default: try ConnectivityProbe.tcp(port: 80, timeout: .seconds(3600))
            }
        let snapshot = ReachabilitySnapshot(
            flags: .reachable, addresses: [try NetworkAddress("10.9.0.77")])
        let target = networks.target
        let task = Task { await probe.run(target, snapshot) }
        if what == "hang" { _ = await server.requests.next() }
        task.cancel()
        #expect(await task.value.failure?.code == .cancelled)
    }
}
