// SPDX-License-Identifier: MIT
import Foundation
import Glibc
import SwiftTestSupport
import Testing

@Suite("reachctl with --connectivity", .needsNamespaces, .blocking, .timeLimit(.minutes(10)))
struct ToolTests {
    private let networks: Networks

    init() throws {
        networks = try Networks()
    }

    private static let tool = program("reachctl")

    private func watch(_ server: Server, _ arguments: String..., host: String = "192.0.2.1") throws
        -> Child
    {
        // The tool must ignore these proxies, which would be another path.
        try Child(
            [
                "env", "http_proxy=http://127.0.0.1:9", "ALL_PROXY=http://127.0.0.1:9", Self.tool,
                "watch", "--connectivity", "http://\(host):\(server.port)/",
            ] + arguments, in: networks.host.descriptor)
    }

    /// The last field of the next line about the connectivity.
    private func next(_ child: inout Child) -> String? {
        while let line = child.line() {
            let fields = line.split(separator: "\t", maxSplits: 2)
            if fields.count == 3, fields[1] == "connectivity" { return String(fields[2]) }
        }
        return nil
    }

    @Test("`watch` prints a line for each level, and a signal ends it")
    func levels() throws {
        let location = "Location: http://portal.example/\u{1b}[2J"
        let server = try networks.serve(.answer(http(302, headers: [location])))
        var child = try watch(server)
        let portal = next(&child)
        #expect(portal?.hasPrefix("portal http://portal.example/") == true)
        #expect(portal?.contains("\u{1b}") == false)
        for family in ["-4", "-6"] { try networks.host.ip("\(family) route flush default") }
        var line = next(&child)
        while line?.hasSuffix("checking") == true { line = next(&child) }
        #expect(line == "local")
        server.behave(.answer(http(204)))
        try networks.setFirst(true)
        line = next(&child)
        while line?.hasSuffix("checking") == true { line = next(&child) }
        #expect(line == "full")
        #expect(child.end(by: SIGINT).status == 0)
    }

    @Test("JSON has the time, connectivity, portal, and failure")
    func json() throws {
        let server = try networks.serve(.answer(http(500)))
        var child = try watch(server, "--json")
        func object(_ child: inout Child) throws -> [String: Any] {
            while let line = child.line() {
                #expect(try schemaProblems(in: line, as: "event") == [])
                let read = try JSONSerialization.jsonObject(with: Data(line.utf8))
                if let object = read as? [String: Any], object["connectivity"] != nil {
                    return object
                }
            }
            return [:]
        }
        let limited = try object(&child)
        #expect(limited["connectivity"] as? String == "limited")
        #expect(limited["failure"] as? String == "the status 500, expected 204")
        #expect(limited["portal"] is NSNull)
        #expect(limited["checking"] as? Bool == false)
        #expect((limited["time"] as? String)?.contains("T") == true)
        server.behave(.answer(http(302, headers: ["Location: http://portal.example/"])))
        let portal = try object(&child)
        #expect(portal["connectivity"] as? String == "portal")
        #expect(portal["portal"] as? String == "http://portal.example/")
        #expect(child.end().status == 0)
    }

    @Test(
        "The file of --prometheus has whether the server answered as expected",
        arguments: [(204, "full", "1"), (500, "limited (the status 500, expected 204)", "0")])
    func metrics(status: Int, text: String, value: String) throws {
        let server = try networks.serve(.answer(http(status)))
        let file = "/tmp/reach-connectivity-\(getpid())-\(status).prom"
        var child = try watch(server, "--prometheus", file)
        #expect(next(&child) == text)
        let line = "\nnetwork_connectivity_full{target=\"internet\"} \(value)\n"
        // It is written within a second.
        while try !String(contentsOfFile: file, encoding: .utf8).contains(line) { sched_yield() }
        #expect(child.end().status == 0)
        #expect(!FileManager.default.fileExists(atPath: file))
    }

    @Test("A probe that hangs does not delay the end by a signal or a closed pipe")
    func hang() async throws {
        let server = try networks.serve(.hang)
        var child = try watch(server)
        _ = await server.requests.next()
        #expect(child.end(by: SIGINT).status == 0)
        let url = "http://192.0.2.1:\(server.port)/"
        let script = "'\(Self.tool)' watch --connectivity \(url) | head -n 1"
        let finished = try Child.run(["sh", "-c", script], in: networks.host.descriptor)
        #expect(finished.status == 0 && finished.output.contains("Reachable"))
    }

    @Test("The probe uses the path of the first target and of the options")
    func path() throws {
        let first = try networks.serve(.answer(http(204)), port: 8080)
        try networks.serve(.answer(http(200, body: "online\n")), in: networks.second, port: 8080)
        var plain = try watch(first)
        #expect(next(&plain) == "full")
        var bound = try watch(first, "--interface", "eth1")
        #expect(next(&bound)?.hasPrefix("portal (the status 200") == true)
        var expected = try watch(
            first, "--interface", "eth1", "--connectivity-status", "200", "--connectivity-body",
            "online", "internet", "127.0.0.1")
        #expect(next(&expected) == "full")
        var refused = try watch(first, host: "127.0.0.1")
        #expect(next(&refused)?.hasPrefix("limited (") == true)
    }

    @Test("`wait` ends when the server answers as expected, or times out")
    func wait() async throws {
        let server = try networks.serve(.answer(http(500)))
        let words = ["--connectivity", "http://192.0.2.1:\(server.port)/"]
        let (output, status) = try Child.run(
            [Self.tool, "wait", "--timeout", "0"] + words, in: networks.host.descriptor)
        #expect(status == 1 && output.contains("timed out waiting for the server's answer"))
        var child = try Child([Self.tool, "wait"] + words, in: networks.host.descriptor)
        while let line = child.line(), !line.contains("the status 500") {}
        // The next probe is five seconds later, or at once over a new path.
        server.behave(.answer(http(204)))
        let finished = child.finish()
        #expect(finished.status == 0)
        #expect(finished.output.hasSuffix("Reachable\nconnectivity\tfull\n"))
    }

    @Test("`wait` accepts the options that the systemd unit suggests")
    func unit() throws {
        let unit = try repositoryText("Sources/reachctl/systemd/reachctl-wait@.service")
        let options = try #require(
            unit.firstMatch(of: /"OPTIONS=(.*--connectivity) http:[^ "]*"/)
        ).1
        let server = try networks.serve(.answer(http(204)))
        let words = options.split(separator: " ").map(String.init)
        let (output, status) = try Child.run(
            [Self.tool, "wait"] + words
                + ["http://192.0.2.1:\(server.port)/", "--", "192.0.2.1"],
            in: networks.host.descriptor)
        #expect(status == 0 && output.hasSuffix("Reachable\nconnectivity\tfull\n"))
    }

    @Test("`status` runs one probe, which decides its last line and its exit status")
    func status() throws {
        let server = try networks.serve(.answer(http(204)))
        func run(_ words: String...) throws -> (output: String, status: CInt) {
            return try Child.run(
                [Self.tool, "status"] + words
                    + ["--connectivity", "http://192.0.2.1:\(server.port)/"],
                in: networks.host.descriptor)
        }
        #expect(try run("internet") == ("Reachable\nconnectivity\tfull\n", 0))
        #expect(try run("-q", "internet") == ("", 0))
        #expect(try run().output.hasSuffix("\nconnectivity\tfull\n"))
        server.behave(.answer(http(302)))
        let json = try run("--json", "internet")
        #expect(json.status == 1)
        let lines = json.output.split(separator: "\n")
        #expect(lines.count == 2)
        #expect(try schemaProblems(in: String(lines[1]), as: "event") == [])
        #expect(lines[1].contains("\"connectivity\":\"portal\""))
    }

    @Test("--connectivity-proxy sends the probe through a proxy, whatever the environment excepts")
    func proxy() throws {
        let server = try networks.serve(.answer(http(204)))
        let (output, status) = try Child.run(
            [
                "env", "no_proxy=*", Self.tool, "status", "--connectivity",
                "http://nosuch.invalid/",
                "--connectivity-proxy", "http://10.9.0.2:\(server.port)", "10.9.0.2",
            ], in: networks.host.descriptor)
        #expect(output.contains("connectivity\tfull") && status == 0)
    }

    @Test("Without libcurl, everything but connectivity works, and the error says what to install")
    func noLibrary() throws {
        // An empty file hides the library in the tool's own mount namespace.
        let script = """
            for file in $(ldconfig -p | sed -n 's/.*libcurl[-a-z]*.so.4 .*=> //p'); do
                mount --bind /dev/null "$file" || exit 99
            done
            timeout --signal=INT 60 "$0" watch --connectivity http://127.0.0.1/ 127.0.0.1 | head -n 2
            """
        let (output, status) = try Child.run(["unshare", "-m", "sh", "-c", script, Self.tool])
        #expect(status == 0 && output.contains("Reachable,Local Address"))
        #expect(output.contains("apt-get install libcurl4"))
    }
}
