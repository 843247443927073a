// SPDX-License-Identifier: MIT
import NetworkReachability
import SwiftTestSupport
import Testing

@testable import ReachabilityConnectivity

extension ProbeTests {
    @Test("NUL bytes at the end of a body are part of it")
    func nulBody() async throws {
        for (body, level) in [
            ("online \n", ConnectivityLevel.full), ("online\0", .portal(url: nil)),
            ("online\0\0\n", .portal(url: nil)), ("online\n\0", .portal(url: nil)),
        ] {
            let answer = try await ask(.answer(http(200, body: body)), status: 200, body: "online")
            #expect(answer.level == level)
        }
    }

    @Test("A redirect to anything but an http or https URL is a portal without a URL")
    func otherSchemes() async throws {
        for url in [
            "javascript:alert(1)", "file:///etc/passwd", "intent://x/#Intent;end",
            "data:text/html,x",
            "tel:112", "http:x", "http://", "httpx://x/",
        ] {
            let answer = try await ask(.answer(http(302, headers: ["Location: \(url)"])))
            #expect(answer.level == .portal(url: nil), "\(url)")
            #expect(
                answer.failure?.description
                    == "the redirect does not lead to an http or https URL")
            #expect(answer.failure?.status == 302)
        }
        let upper = try await ask(
            .answer(http(302, headers: ["Location: HTTPS://portal.example/"])))
        #expect(upper.level == .portal(url: "HTTPS://portal.example/"))
    }

    @Test("The probe's headers are sent, and replace those of libcurl")
    func headers() async throws {
        let server = try networks.serve(.answer(http(204)))
        let probe = try ConnectivityProbe.http(
            "http://10.9.0.2:\(server.port)/",
            headers: [
                "X-Z": "a: b;", "Authorization": "Bearer 1", "Accept": "text/plain", "X-Empty": "",
                "User-Agent": "probe/1.0", "Host": "probe.example",
            ], timeout: .seconds(3600))
        #expect(await probe.run(networks.target, .unknown).level == .full)
        let request = server.requests.values.first ?? ""
        for line in [
            "Authorization: Bearer 1", "Accept: text/plain", "X-Empty:", "X-Z: a: b;",
            "User-Agent: probe/1.0", "Host: probe.example", "Connection: close",
        ] {
            #expect(request.contains("\r\n\(line)\r\n"), "\(line) in \(request)")
        }
        #expect(!request.contains("*/*"))
    }

    @Test("A failure names the phase in which the time ran out")
    func phases() async throws {
        /// On a loaded machine an earlier phase may use up the time, so the timeout is doubled.
        func expect(
            _ phase: ConnectivityFailure.Phase, _ words: String,
            _ ask: (Duration) async throws -> ProbeAnswer
        ) async throws {
            var time = Duration.milliseconds(400)
            var answer = try await ask(time)
            while answer.failure?.phase != phase, time < .seconds(10) {
                time *= 2
                answer = try await ask(time)
            }
            let earlier: Set<ConnectivityFailure.Phase> =
                phase == .body
                ? [.connect, .headers] : [.headers, .tls].contains(phase) ? [.connect] : []
            #expect(Set(answer.phases.keys) == earlier)
            #expect(answer.phases.values.allSatisfy { $0 > .zero && $0 <= time })
            #expect(answer.level == .limited && answer.failure?.code == .timedOut)
            #expect(answer.failure?.description == "\(words) within \(time)")
            #expect(answer.failure?.phase == phase)
        }
        func run(_ probe: ConnectivityProbe, _ target: ReachabilityTarget) async -> ProbeAnswer {
            await probe.run(target, .unknown)
        }
        for behavior in [
            Server.Behavior.hang, .stall("HTTP/1.1 200 Test\r\n"),
            .stall("HTTP/1.1 103 Test\r\n\r\n"),
        ] {
            try await expect(.headers, "no complete headers") {
                try await self.ask(behavior, timeout: $0)
            }
        }
        try await expect(.body, "no complete body") {
            try await self.ask(
                .stall("HTTP/1.1 200 Test\r\nContent-Length: 6\r\n\r\nonl"), status: 200,
                body: "online", timeout: $0)
        }
        try await expect(.tls, "the TLS handshake did not finish") {
            try await self.ask(.hang, scheme: "https", timeout: $0)
        }
        // The neighbor is configured, but doesn't exist: packets to it are lost.
        try networks.host.ip("neigh add 10.9.0.77 lladdr 02:00:00:00:00:77 dev eth0 nud permanent")
        for url in ["http://10.9.0.77/", "https://10.9.0.77/"] {
            try await expect(.connect, "no connection") {
                await run(try .http(url, timeout: $0), networks.target)
            }
        }
        let target = try ReachabilityTarget.address("10.9.0.77")
            .with(namespace: .path(networks.host.path))
        try await expect(.connect, "no connection") {
            await run(try .tcp(port: 80, timeout: $0), target)
        }
        // In the first network, packets to the name server are lost.
        try await expect(.name, "the name was not resolved") {
            await run(try .http("http://www.example.com/", timeout: $0), networks.target)
        }
    }

    @Test("An answer has the time of each phase of its probe")
    func times() async throws {
        let full = try await ask(.answer(http(200, body: "online")), status: 200, body: "online")
        #expect(full.level == .full && Set(full.phases.keys) == [.connect, .headers, .body])
        let server = try networks.serve(.answer(http(204)), in: networks.host)
        let answer = try await answer(from: "http://localhost:\(server.port)/")
        #expect(answer.level == .full)
        #expect(Set(answer.phases.keys) == [.name, .connect, .headers, .body])
        let target = try ReachabilityTarget.address("127.0.0.1")
            .with(namespace: .path(networks.host.path))
        let tcp = try await ConnectivityProbe.tcp(port: Int(server.port), timeout: .seconds(3600))
            .run(target, .unknown)
        #expect(tcp.level == .full && Set(tcp.phases.keys) == [.connect])
        #expect(tcp.phases[.connect] ?? .zero > .zero)
    }

    @Test("A failed connection has the kernel's error as its description")
    func words() async throws {
        try networks.host.ip("route add unreachable 10.77.0.1")
        for (address, errno) in [
            ("10.9.0.2:9", ReachabilityErrno(rawValue: 111)), ("10.77.0.1", .hostUnreachable),
        ] {
            let failure = try await answer(from: "http://\(address)/").failure
            #expect(failure?.code == .notConnected && failure?.errno == errno)
            #expect(failure?.description == errno.description)
        }
    }
}
