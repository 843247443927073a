// SPDX-License-Identifier: MIT
import BusTestSupport
import Glibc
import SwiftTestSupport
import Testing

@Suite("reachctl and NetworkManager", .blocking, .timeLimit(.minutes(10)))
struct ToolTests {
    private let place: Place

    init() throws {
        place = try Place()
    }

    private func interfaces(_ arguments: String...) throws -> [Substring] {
        var child = try tool(["interfaces"] + arguments)
        let (output, status) = child.finish()
        #expect(status == 0)
        for line in output.split(separator: "\n") where arguments.contains("--json") {
            #expect(try schemaProblems(in: String(line), as: "interface") == [])
        }
        return output.split(separator: "\n")
    }

    private func loopback() throws -> Substring {
        let lines = try interfaces("--json")
        return try #require(lines.first { $0.contains(#""name":"lo""#) })
    }

    @Test(
        "`interfaces` prints metered and connectivity where they are known, and nothing elsewhere"
    )
    func columns() throws {
        let unknown = #""metered":null,"connectivity":null,"radio":null}"#
        #expect(try loopback().hasSuffix(unknown))
        try place.startBus()
        let service = try FakeNetworkManager(
            place, "own", "device 1 interface=lo metered=0 ip4=0 ip6=0")
        #expect(try interfaces().first?.hasSuffix("MASTER  ADDRESSES") == true)
        #expect(try loopback().hasSuffix(unknown))
        try service.send("device 1 metered=3")
        #expect(try interfaces().first?.hasSuffix("MASTER  METERED    ADDRESSES") == true)
        try service.send("device 1 ip4=4 ip6=2")
        let lines = try interfaces()
        #expect(lines.first?.contains("METERED    CONNECTIVITY                ADDRESSES") == true)
        #expect(
            lines.first { $0.contains("loopback") }?
                .contains("guess-yes  full (IPv4), portal (IPv6)  127.") == true)
        #expect(
            try loopback().contains(
                #""metered":"guess-yes","connectivity":{"ipv4":"full","ipv6":"portal"}"#))
        try service.send("device 1 metered=2 ip4=3 ip6=0")
        #expect(
            try loopback().contains(
                #""metered":"no","connectivity":{"ipv4":"limited","ipv6":null}"#))
        // Another namespace has other interfaces of the same names.
        #expect(
            try interfaces("--netns", "\(getpid())", "--json").contains {
                $0.contains(#""metered":"no""#)
            } == false)
    }

    private func tool(_ arguments: [String]) throws -> Child {
        try Child(
            ["env", "DBUS_SYSTEM_BUS_ADDRESS=\(place.address)", program("reachctl")] + arguments)
    }

    @Test("`status` and `watch` print whether the interface of a target is metered")
    func metered() throws {
        func status(_ arguments: String...) throws -> String {
            var child = try tool(["status", "--json"] + arguments)
            return child.finish().output
        }
        #expect(try status("127.0.0.1").contains(#""metered":null"#))
        try place.startBus()
        let service = try FakeNetworkManager(place, "own", "device 1 interface=lo metered=3")
        #expect(try status("127.0.0.1").contains(#""metered":true"#))
        #expect(try status("--netns", "\(getpid())", "127.0.0.1").contains(#""metered":null"#))
        var watch = try tool(["watch", "--json", "127.0.0.1"])
        for (number, value) in [(3, "true"), (2, "false"), (4, "null"), (1, "true")] {
            try service.send("device 1 metered=\(number)")
            var line: String?
            repeat {
                line = watch.line()
            } while line?.contains(#""metered":\#(value)"#) == false
            #expect(line?.contains(#""target":"127.0.0.1""#) == true)
        }
        _ = watch.end()
    }

    @Test("With --connectivity networkmanager, `status`, `wait`, and `watch` print its answer")
    func connectivity() throws {
        func run(_ arguments: String...) throws -> (output: String, status: CInt) {
            var child = try tool(arguments + ["--connectivity", "networkmanager", "127.0.0.1"])
            return child.finish()
        }
        try place.startBus()
        let service = try FakeNetworkManager(
            place, "network connectivity=4 available=1 enabled=1", "own",
            "device 1 interface=lo ip4=3 ip6=4")
        let limited = try run("status")
        #expect(limited.status == 1 && limited.output.hasSuffix("\nconnectivity\tlimited\n"))
        #expect(try run("wait", "--timeout", "0").status == 1)
        var watch = try tool(["watch", "--connectivity", "networkmanager", "127.0.0.1"])
        while let line = watch.line(), !line.hasSuffix("\tlimited") {}
        try service.send("device 1 ip4=4")
        while let line = watch.line(), !line.hasSuffix("\tfull") {}
        let full = "Reachable,Local Address\nconnectivity\tfull\n"
        #expect(try run("status") == (full, 0))
        let waited = try run("wait", "--timeout", "120")
        #expect(waited.status == 0 && waited.output.hasSuffix(full))
        try service.send("disown")
        let gone = try run("status", "--json")
        #expect(gone.status == 1)
        let line = String(gone.output.split(separator: "\n").last ?? "")
        #expect(try schemaProblems(in: line, as: "event") == [])
        #expect(line.contains(#""connectivity":"unknown""#))
        #expect(watch.end().status == 0)
    }

    @Test("A silent NetworkManager is no error, and ModemManager's answer is printed")
    func silent() throws {
        try place.startBus()
        try FakeModemManager(place, "modem 0 state=11 tech=0x4000 ports=lo:2 registration=1", "own")
        try FakeNetworkManager(place, "answer nothing", "own")
        let line = try loopback()
        #expect(line.contains(#""generation":"4G""#))
        #expect(line.contains(#""metered":null"#))
    }
}
