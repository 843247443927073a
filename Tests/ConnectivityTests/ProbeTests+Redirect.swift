// SPDX-License-Identifier: MIT
import NetworkReachability
import SwiftTestSupport
import Testing

@testable import ReachabilityConnectivity

extension ProbeTests {
    @Test("A redirect whose URL is too long is a portal, and the failure says so")
    func longLocation() async throws {
        func answer(_ count: Int) async throws -> ProbeAnswer {
            let url = "http://x.example/" + String(repeating: "a", count: count - 17)
            return try await ask(.answer(http(302, headers: ["Location: " + url])))
        }
        guard case .portal(let url?) = try await answer(4095).level else {
            Issue.record("no URL")
            return
        }
        #expect(url.utf8.count == 4095)
        for count in [4096, 20_000] {
            let long = try await answer(count)
            #expect(long.level == .portal(url: nil))
            #expect(long.failure?.description == "the URL of the redirect has more than 4095 bytes")
        }
        // libcurl rejects a line as long as that.
        let line = try await ask(.flood("HTTP/1.1 302 Test\r\nLocation: http://x.example/", "aaaa"))
        #expect(line.level == .limited && line.failure?.description == "too many headers")
    }

    @Test("The headers decide, whether a body follows or not")
    func headersDecide() async throws {
        let location = "Location: http://portal.example/"
        let portal = ConnectivityLevel.portal(url: "http://portal.example/")
        for body in [nil, "online"] {
            func level(_ behavior: Server.Behavior) async throws -> ConnectivityLevel {
                try await ask(behavior, status: 200, body: body, timeout: .seconds(3600)).level
            }
            let page = String(repeating: "<html>moved</html>", count: 10_000)
            #expect(try await level(.answer(http(302, headers: [location], body: page))) == portal)
            for rest in ["Content-Length: 10\r\n\r\n", "Transfer-Encoding: chunked\r\n\r\nZZ\r\n"] {
                let redirect = "HTTP/1.1 302 Test\r\n\(location)\r\n" + rest
                #expect(try await level(.answer(redirect)) == portal)
                #expect(try await level(.stall(redirect)) == portal)
                #expect(
                    try await level(.stall("HTTP/1.1 511 Test\r\n" + rest)) == .portal(url: nil))
                #expect(try await level(.stall("HTTP/1.1 500 Test\r\n" + rest)) == .limited)
            }
        }
        let silent = "HTTP/1.1 200 Test\r\nContent-Length: 10\r\n\r\n"
        #expect(try await ask(.stall(silent), status: 200, timeout: .seconds(3600)).level == .full)
        let awaited = try await ask(
            .stall(silent), status: 200, body: "online", timeout: .milliseconds(300))
        #expect(awaited.failure?.code == .timedOut)
    }
}
