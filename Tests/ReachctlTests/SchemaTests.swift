// SPDX-License-Identifier: MIT
import Foundation
import NetworkReachability
import SwiftTestSupport
import Testing

@Suite("JSON and its schema", .blocking, .timeLimit(.minutes(10)))
struct SchemaTests {
    private static let targets = [
        "127.0.0.1", "::1", "internet", "local-wifi", "localhost", "127.0.0.1,127.0.0.2",
        "192.0.2.254,127.0.0.1", "fe80::1%no-such-if0", "none.invalid",
    ]

    @Test(
        "Every line follows the schema, and has no member that the schema lacks",
        arguments: [
            (["status", "--json", "--timeout", "0"] + targets, "state"),
            (["wait", "--json", "--timeout", "0"] + targets, "state"),
            (["explain", "--json", "--timeout", "0"] + targets, "explanation"),
            (["status", "--json"], "overview"), (["interfaces", "--json"], "interface"),
            (["flags", "--json", "0", "0x40003", "0xffffffff"], "flags"),
        ])
    func lines(arguments: [String], definition: String) throws {
        let result = try Tool.run(arguments)
        #expect(!result.lines.isEmpty, "\(result)")
        for line in result.lines {
            #expect(try schemaProblems(in: line, as: definition) == [])
        }
    }

    @Test(
        "Every decoded message follows the schema",
        arguments: ["debian-6.1-devices.dump", "debian-6.1-wifi-wpa2.events"])
    func messages(recording: String) throws {
        let result = try Tool.run("decode", input: Vectors.recording(recording))
        #expect(!result.lines.isEmpty, "\(result)")
        for line in result.lines { #expect(try schemaProblems(in: line, as: "message") == []) }
    }

    @Test("Events of `watch` follow the schema, and name their kind in the member 'event'")
    func events() throws {
        // Nothing listens at that port of this host.
        let script = """
            export DBUS_SYSTEM_BUS_ADDRESS=unix:path=/nonexistent
            exec "$0" watch --json --radio --connectivity http://127.0.0.1:1/ 127.0.0.1 2>/dev/null
            """
        var child = try Child(["sh", "-c", script, Tool.path])
        var missing: Set<String> = ["reachability", "radio", "connectivity"]
        while !missing.isEmpty, let line = child.line() {
            #expect(try schemaProblems(in: line, as: "event") == [])
            missing.remove(try parseObject(line)["event"] as? String ?? "")
        }
        #expect(missing.isEmpty)
        #expect(child.end().status == 0)
    }

    @Test("The schema has every reason")
    func reasons() throws {
        for reason in ReachabilityReason.allCases {
            let value = !reason.isFailure ? "null" : "\"\(reason.rawValue)\""
            #expect(try schemaProblems(in: value, as: "reason") == [])
        }
    }

    @Test("A line that violates the schema is detected")
    func wrong() throws {
        let line =
            #"{"flags":2,"words":"Reachable","letters":"-R -------","status":"reachableViaWiFi"}"#
        #expect(try schemaProblems(in: line, as: "flags") == [])
        for (old, new) in [
            ("2", "-2"), ("2", "true"), ("-R ", "R- "), ("ViaWiFi", "ViaPigeon"),
            ("\"words\"", "\"word\""), ("\"Reachable\"", "null"),
        ] {
            #expect(try schemaProblems(in: line.replacing(old, with: new), as: "flags") != [])
        }
    }
}
