// SPDX-License-Identifier: MIT
import NetworkReachability
import ReachabilityConnectivity
import Testing

@Suite("Values of ReachabilityConnectivity")
struct UnitTests {
    @Test(
        "A URL that can't be probed is rejected",
        arguments: [
            "", "example.com", "ftp://example.com/", "file:///etc/passwd", "http:/example.com",
            "http://", "http:///x", "http://exa mple.com/", "http://example.com/a b",
            "http://example.com/\r\nX: y", "http://user@example.com/", "http://example.com:0/",
            "http://example.com:65536/", "http://example.com:x/", "http://[::1/",
            "http://ü.example/",
            "javascript:alert(1)", "http://example.com:+80/", "http://[fe80::1%25]/",
            "http://[fe80::1%25eth0/",
        ])
    func badURL(url: String) {
        #expect {
            try ConnectivityProbe.http(url)
        } throws: { error in
            let failure = error as? ConnectivityFailure
            return failure?.code == .invalidProbe
                && failure?.description.contains("'\(url)'") == true
        }
    }

    @Test(
        "A URL that can be probed is accepted",
        arguments: [
            "http://example.com", "HTTP://Example.com:8080/a?b#c", "https://192.0.2.1/",
            "http://[2001:db8::1]:80/", "http://example.com/@", "http://localhost:1/%20",
            "http://[fe80::1%25nosuch0]:80/", "http://[::1%25lo]/",
        ])
    func goodURL(url: String) throws {
        _ = try ConnectivityProbe.http(url)
    }

    @Test(
        "A URL with an invalid port is rejected with an error that quotes it",
        arguments: ["0", "65536", "-1", "80a", ""])
    func badPort(port: String) {
        let url = "http://example.com:\(port)/"
        #expect {
            try ConnectivityProbe.http(url)
        } throws: { error in
            (error as? ConnectivityFailure)?.description
                == "'\(url)' has an invalid port; give one from 1 to 65535"
        }
    }

    @Test("An invalid status, body, port, or timeout is rejected")
    func badArguments() {
        func isInvalid(_ make: () throws(ConnectivityFailure) -> ConnectivityProbe) -> Bool {
            do throws(ConnectivityFailure) {
                _ = try make()
                return false
            } catch {
                return error.code == .invalidProbe && !error.description.isEmpty
            }
        }
        let url = "http://example.com/"
        for status in [-1, 0, 100, 199, 600] {
            #expect(isInvalid { () throws(ConnectivityFailure) in try .http(url, status: status) })
        }
        let long = String(repeating: "a", count: 4097)
        #expect(isInvalid { () throws(ConnectivityFailure) in try .http(url, body: long) })
        #expect(isInvalid { () throws(ConnectivityFailure) in try .http(url, body: "a\0b") })
        #expect(isInvalid { () throws(ConnectivityFailure) in try .http(url, timeout: .zero) })
        for proxy in [
            "", "proxy.example.com:3128", "https://proxy.example.com", "http://", "http://a b",
        ] {
            #expect(isInvalid { () throws(ConnectivityFailure) in try .http(url, proxy: proxy) })
        }
        for port in [-1, 0, 65536] {
            #expect(isInvalid { () throws(ConnectivityFailure) in try .tcp(port: port) })
        }
    }

    @Test("Invalid headers and certificate files are rejected")
    func badHeaders() {
        let url = "http://example.com/"
        for (name, value) in [
            ("", "x"), ("a b", "x"), ("a:", "x"), ("é", "x"), ("a\r\nb", "x"), ("X-A", "x\r\nY: z"),
            ("X-A", "é"), ("X-A", "a\0b"), ("Connection", "keep-alive"), ("content-length", "1"),
            ("Transfer-Encoding", "chunked"), ("X-A", String(repeating: "a", count: 4096)),
        ] {
            #expect {
                try ConnectivityProbe.http(url, headers: [name: value])
            } throws: { error in
                (error as? ConnectivityFailure)?.code == .invalidProbe
            }
        }
        for file in ["", "a\0b"] {
            #expect(throws: ConnectivityFailure.self) {
                try ConnectivityProbe.http(url, caFile: file)
            }
        }
    }

    @Test("Failures that differ only in their texts are equal")
    func equality() {
        let one = ConnectivityFailure(.notConnected, errno: .hostUnreachable, "after 3061 ms")
        let same = ConnectivityFailure(.notConnected, errno: .hostUnreachable, "after 3062 ms")
        #expect(one == same && Set([one, same]).count == 1)
        let others = [
            ConnectivityFailure(.closed, errno: .hostUnreachable, ""),
            ConnectivityFailure(.notConnected, errno: .outOfMemory, ""),
            ConnectivityFailure(.notConnected, errno: .hostUnreachable, phase: .connect, ""),
            ConnectivityFailure(.notConnected, errno: .hostUnreachable, status: 500, ""),
        ]
        #expect(!others.contains(one) && Set(others + [one]).count == 5)
    }

    @Test("A TCP probe needs an address of its target")
    func noAddress() throws {
        let probe = try ConnectivityProbe.tcp(port: 80)
        for target in [ReachabilityTarget.internet, .localWiFi, try .address("::")] {
            #expect(throws: ReachabilityError.self) {
                try ConnectivityMonitor(target: target, probe: probe)
            }
        }
        _ = try ConnectivityMonitor(target: .address("192.0.2.1"), probe: probe)
    }

    @Test("Levels and states have descriptions")
    func descriptions() {
        #expect("\(ConnectivityLevel.portal(url: "http://x/"))" == "portal http://x/")
        #expect("\(ConnectivityLevel.portal(url: nil))" == "portal")
        #expect("\(ConnectivityLevel.noNetwork)" == "noNetwork")
        let failure = ConnectivityFailure(.timedOut, "no answer within 10.0 seconds")
        #expect(
            "\(ConnectivityState(level: .limited, failure: failure))"
                == "limited (no answer within 10.0 seconds)")
        #expect("\(ConnectivityState(level: .full, isChecking: true))" == "full, checking")
    }
}
