// SPDX-License-Identifier: MIT
import CTestSupport
import Foundation
import Testing

private let far = "192.0.2.1"

/// The tool, and how another user runs it.
enum Tool {
    /// The built tool, in the directory of the test executable.
    static let path = program("reachctl")

    /// Whether an unprivileged user exists and can execute the tool.
    static let runsAsNobody =
        canBecomeNobody
        && (try? Namespace().run(["setpriv"] + nobody + ["test", "-x", path])) != nil

    static let nobody = ["--reuid=\(TEST_NOBODY)", "--regid=\(TEST_NOBODY)", "--clear-groups"]
}

@Suite(.blocking, .needsNamespaces, .timeLimit(.minutes(10)))
struct ToolTests {
    private func watch(
        _ arguments: [String], as user: [String] = [], in namespace: Namespace
    ) throws -> Child {
        try Child(user + [Tool.path, "watch"] + arguments, in: namespace.descriptor)
    }

    private func expect(_ words: String, from tool: inout Child) {
        let line = tool.line()
        #expect(line?.hasSuffix("\t\(words)") == true, "\(line ?? "nothing")")
    }

    /// Ends the tool with SIGTERM, and checks that it prints nothing more and exits with 0.
    private func end(_ tool: inout Child) {
        let (output, status) = tool.end()
        #expect(output.isEmpty)
        #expect(status == 0)
    }

    @Test("--netns watches a namespace other than the tool's own")
    func namespaceOption() throws {
        let lab = try Lab()
        let elsewhere = try Namespace()
        var tool = try watch(["--netns", lab.host.path, far], in: elsewhere)
        expect("Reachable", from: &tool)
        try lab.host.ip("route del default")
        expect("Not Reachable", from: &tool)
        end(&tool)
    }

    @Test(
        "`watch` ends with an error when its namespace is replaced, however stable changes must be",
        arguments: [[], ["--stable", "3600"]])
    func namespaceReplaced(options: [String]) throws {
        let namespace = try Namespace()
        let path = "/tmp/reach-watched-\(getpid())-\(options.count)"
        try FileManager.default.createSymbolicLink(
            atPath: path, withDestinationPath: namespace.path)
        defer { unsafe unlink(path) }
        let command = ["exec 2>&1; exec \"$0\" watch --netns \"$@\"", Tool.path, path]
        var child = try Child(["sh", "-c"] + command + options + ["127.0.0.1"])
        #expect(child.line()?.contains("Local Address") == true)
        unsafe unlink(path)
        let error = child.line()
        try #require(error?.hasPrefix("reachctl: the monitored network namespace was") == true)
        #expect(child.finish().status == 71)
    }

    @Test(
        "An unprivileged user sees the rules for its own traffic",
        .needs(Tool.runsAsNobody, "an unprivileged uid that may run reachctl"))
    func userRule() throws {
        let lab = try Lab()
        var tool = try watch([far], as: ["setpriv"] + Tool.nobody, in: lab.host)
        var root = try watch([far], in: lab.host)
        expect("Reachable", from: &tool)
        expect("Reachable", from: &root)
        try lab.host.ip("rule add uidrange \(TEST_NOBODY)-\(TEST_NOBODY) unreachable")
        expect("Not Reachable", from: &tool)
        try lab.host.ip("rule add unreachable")
        expect("Not Reachable", from: &root)
        end(&tool)
        end(&root)
    }

    /// The output of the tool in a namespace.
    private static func output(_ arguments: [String], in namespace: Namespace) throws -> String {
        do {
            return try namespace.run([Tool.path] + arguments)
        } catch let failure as CommandFailure where failure.status == 1 {
            return failure.output
        }
    }

    @Test("`status --json` prints the kernel's error number")
    func error() throws {
        let line = try Self.output(["status", "--json", far], in: Namespace())
        #expect(
            line.contains("\"reason\":\"noRoute\",\"resolution\":null,\"error\":101,"), "\(line)")
        #expect(try schemaProblems(in: line, as: "state") == [])
    }

    @Test(
        "Any interface name works with --interface, and is printed without control characters",
        arguments: ["\u{1b}[31m", "e\u{202e}x", "...", "é", "\u{7f}\""])
    func interfaceNames(name: String) throws {
        let host = try Namespace()
        try host.run(["ip", "link", "add", "name", name, "type", "veth", "peer", "name", "p0"])
        try host.run(["ip", "link", "set", name, "up"])
        try host.run(["ip", "link", "set", "p0", "up"])
        try host.run(["ip", "addr", "add", "10.9.0.1/24", "dev", name])
        try host.awaitLinkLocal(name)
        let arguments = ["status", "--interface", name, "10.9.0.2"]
        #expect(try Self.output(arguments, in: host) == "Reachable,Directly Reachable Address\n")
        let line = try Self.output(arguments + ["--json"], in: host)
        #expect(try JSONDecoder().decode(Named.self, from: Data(line.utf8)).interface.name == name)
        // Another name of the interface will do, also as a zone.
        try host.run(["ip", "link", "property", "add", "dev", name, "altname", "enp2s1"])
        for words in [["-i", "enp2s1", "10.9.0.2"], ["fe80::1%enp2s1"]] {
            let text = try Self.output(["status"] + words, in: host)
            #expect(text == "Reachable,Directly Reachable Address\n")
        }
        let all = try Self.output(["interfaces"], in: host)
        for output in [line, all] {
            #expect(
                !output.unicodeScalars.contains {
                    $0 != "\n" && [.control, .format].contains($0.properties.generalCategory)
                })
        }
    }

    private struct Named: Decodable {
        struct Interface: Decodable {
            let name: String
        }
        let interface: Interface
    }

    @Test("JSON stays valid if an interface name is not UTF-8")
    func notUTF8() throws {
        let host = try Namespace()
        try host.run([
            "sh", "-c", "ip link add name \"$(printf 'a\\377\\376')\" type veth peer name p0",
        ])
        let lines = try Self.output(["interfaces", "--json"], in: host).split(separator: "\n")
        let names = try lines.map {
            try JSONDecoder().decode(Named.Interface.self, from: Data($0.utf8)).name
        }
        #expect(names.contains("a\u{fffd}\u{fffd}"), "\(names)")
    }
}
