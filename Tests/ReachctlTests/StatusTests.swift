// SPDX-License-Identifier: MIT
import Foundation
import Testing

@Suite("reachctl status", .blocking, .timeLimit(.minutes(10)))
struct StatusTests {
    /// The members of every object, whatever the target.
    static let keys: Set<String> = [
        "target", "kind", "flags", "words", "letters", "status", "interface", "source", "gateway",
        "nextHops", "usableNextHops", "addresses", "reason", "resolution", "error", "metered",
    ]

    @Test("For one target, one line of words is printed, as by scutil")
    func words() throws {
        let result = try Tool.run("status", "127.0.0.1")
        #expect(result.status == 0)
        #expect(result.output == "Reachable,Local Address\n")
    }

    @Test("Several targets are printed in order before a tab, and an unreachable one sets status 1")
    func several() throws {
        let result = try Tool.run("status", "192.0.2.254,127.0.0.1", "127.0.0.1", "127.0.0.1")
        #expect(result.status == 1)
        #expect(
            result.lines == [
                "192.0.2.254,127.0.0.1\tNot Reachable", "127.0.0.1\tReachable,Local Address",
                "127.0.0.1\tReachable,Local Address",
            ])
    }

    @Test(
        "Every kind of target is recognized, and printed as it was given",
        arguments: [
            ("127.0.0.1", "address"), ("127.1", "address"), ("::1", "address"),
            ("::1%lo", "address"),
            ("::ffff:127.0.0.1", "address"), ("internet", "internet"), ("0.0.0.0", "internet"),
            ("::", "internet"), ("local-wifi", "localWiFi"), ("169.254.0.0", "localWiFi"),
            ("127.0.0.1,127.0.0.1", "addressPair"), (",127.0.0.1", "addressPair"),
            ("::1,", "addressPair"), ("localhost", "name"), ("localhost.", "name"),
            ("https://user@localhost:8080/x?y#z", "name"), ("http://127.0.0.1:80", "address"),
            ("http://[::1]:80/", "address"), ("http://[fe80::1%25lo]/", "address"),
            ("fe80::2%no-such-if0,fe80::1%no-such-if0", "addressPair"),
        ])
    func kinds(target: String, kind: String) throws {
        let result = try Tool.run("status", "--json", target)
        #expect([0, 1].contains(result.status), "\(result.errors)")
        let object = try #require(try result.objects().first)
        #expect(Set(object.keys) == Self.keys)
        #expect(object["target"] as? String == target)
        #expect(object["kind"] as? String == kind)
        #expect((object["status"] as? String == "notReachable") == (result.status == 1))
    }

    @Test("Without a target an overview is printed, and the internet decides the exit status")
    func overview() throws {
        let result = try Tool.run("status", "--json")
        let object = try #require(try result.objects().first)
        #expect(Set(object.keys) == ["internet", "interfaces", "resolver"])
        let internet = try #require(object["internet"] as? [String: [String: Any]])
        #expect(Set(internet.keys) == ["ipv4", "ipv6"])
        let isReachable = internet.values.contains { $0["status"] as? String != "notReachable" }
        #expect(result.status == (isReachable ? 0 : 1))
        for path in internet.values { #expect(Set(path.keys) == Self.keys.union(["underlay"])) }
        let one = try #require(try Tool.run("status", "-6", "-j").objects().first)
        #expect((one["internet"] as? [String: Any])?.keys.map(\.self) == ["ipv6"])
        let list = try Tool.run("status", "--targets-from", "-", input: Data("::1".utf8))
        #expect(list.lines.count == 1)
    }

    @Test("On a terminal, the reason and the interface are printed, too")
    func terminal() throws {
        let result = try Tool.runOnTerminal(
            "status", "127.0.0.1", "192.0.2.254,127.0.0.1", "fe80::1%no-such-if0")
        #expect(result.status == 1)
        #expect(
            result.output
                == "127.0.0.1\tReachable,Local Address lo\r\n"
                + "192.0.2.254,127.0.0.1\tNot Reachable (notLocal)\r\n"
                + "fe80::1%no-such-if0\tNot Reachable (noInterface)\r\n")
        // connect() to a link-local address without an interface fails with EINVAL, whatever the
        // routes.
        let unscoped = try Tool.runOnTerminal("status", "fe80::77", "ff02::1")
        #expect(
            unscoped.output.split(separator: "\r\n").allSatisfy {
                $0.hasSuffix("Not Reachable (noInterface)")
            })
        let one = try Tool.runOnTerminal("status", "127.0.0.1")
        #expect(one.output == "Reachable,Local Address lo\r\n")
    }

    @Test("An interface may have any name that the kernel allows")
    func interfaceNames() throws {
        let names = [
            "...", "\u{1}", "a\u{7f}", "\u{1b}[31m", "é", "\u{202e}x", "%", "fifteen-bytes-x",
        ]
        for name in names {
            let result = try Tool.run("status", "--interface", name, "192.0.2.1")
            #expect(result.output == "Not Reachable\n", "\(name): \(result.errors)")
        }
    }

    @Test("JSON has the state of a name's resolution, and null for an address")
    func resolution() throws {
        let objects = try Tool.run("status", "--json", "localhost", "127.0.0.1").objects()
        #expect(objects.first?["resolution"] as? String == "done")
        #expect(objects.last?["resolution"] is NSNull)
        #expect(objects.allSatisfy { $0["error"] is NSNull })
    }

    @Test("A missing interface is a reason, not an error")
    func noInterface() throws {
        let result = try Tool.run(
            "status", "--json", "--interface", "no-such-if0", "192.0.2.1")
        #expect(result.status == 1)
        let object = try #require(try result.objects().first)
        #expect(object["reason"] as? String == "noInterface")
        #expect(object["interface"] is NSNull && object["source"] is NSNull)
    }

    @Test("Marks, users, and the policy are accepted in every form")
    func options() throws {
        let result = try Tool.run(
            "status", "--mark", "0xffffffff", "--uid", "root", "--policy", "strict", "127.0.0.1")
        #expect(result.status == 0)
        #expect(try Tool.run("status", "--mark", "7", "--uid", "0", "127.0.0.1").status == 0)
    }

    @Test(
        "With a timeout of 0 a strict name is unreachable, and with the default localhost is resolved"
    )
    func names() throws {
        let arguments = ["status", "--policy", "strict", "--json"]
        let hasty = try Tool.run(arguments + ["--timeout", "0", "nothing.invalid"])
        #expect(hasty.status == 1)
        let patient = try Tool.run(arguments + ["localhost"])
        #expect(patient.status == 0)
        let addresses = try patient.objects().first?["addresses"] as? [String]
        #expect(try #require(addresses).isEmpty == false)
    }

    @Test(
        "A process without descriptors to resolve a name fails, and doesn't call it unreachable",
        arguments: ["status --json", "explain"])
    func noDescriptors(command: String) throws {
        // The resolver runs out of descriptors at one of these limits, and the monitor below it.
        var errors: Set<String> = []
        for limit in 4...24 {
            let result = try Tool.run(command: [
                "sh", "-c", "ulimit -n \(limit); exec \"$0\" \(command) localhost", Tool.path,
            ])
            #expect(result.status == 0 || result.status == 71, "limit \(limit): \(result)")
            guard result.errors.contains("resolving") else { continue }
            errors.insert(result.errors)
            #expect(
                command != "explain"
                    || result.output.contains(
                        "unresolved: the resolver failed: Too many open files")
            )
        }
        let advice = "free some, or raise the limit (`ulimit -n` for files)"
        #expect(
            errors == ["reachctl: resolving 'localhost' failed: Too many open files; \(advice)\n"])
    }

    @Test("Text and JSON list the loopback interface")
    func interfaces() throws {
        let text = try Tool.run("interfaces")
        #expect(text.status == 0)
        #expect(text.lines.first?.hasPrefix("INDEX  NAME") == true)
        let objects = try Tool.run("interfaces", "--json").objects()
        let loopback = try #require(objects.first { $0["name"] as? String == "lo" })
        #expect(loopback["class"] as? String == "loopback")
        #expect(loopback["index"] as? Int == 1)
        #expect(loopback["master"] is NSNull)
        #expect(objects.count == text.lines.count - 1)
    }

    @Test("--netns accepts the namespace of a process by number and by path")
    func ownNamespace() throws {
        let pid = ProcessInfo.processInfo.processIdentifier
        let namespaces = ["\(pid)", "/proc/\(pid)/ns/net"]
        for namespace in namespaces {
            let result = try Tool.run("status", "--netns", namespace, "127.0.0.1")
            // Entering a namespace, even one's own, takes CAP_SYS_ADMIN.
            #expect(result.status == 0 || result.errors.contains("CAP_SYS_ADMIN"))
            #expect([0, 71].contains(result.status))
        }
    }
}
