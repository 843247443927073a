// SPDX-License-Identifier: MIT
import Foundation
import Testing

@Suite("reachctl decode", .timeLimit(.minutes(10)))
struct DecodeTests {
    private static let dump = Vectors.url("debian-6.1-devices.dump")
    private static let station = Vectors.url("debian-6.1-wifi-wpa2.events")

    @Test("The links of a recorded dump are those that its description lists")
    func links() async throws {
        let result = try await Tool.run("decode", "--json", Self.dump.path)
        #expect(result.status == 0)
        #expect(result.errors.isEmpty)
        let messages = try result.objects()
        let links = messages.compactMap { $0["link"] as? [String: Any] }
        let text = try String(contentsOf: Vectors.url("debian-6.1-devices.jsonl"), encoding: .utf8)
        let described = try text.split(separator: "\n").map { try parseObject(String($0)) }
        #expect(links.count == described.count)
        for (link, device) in zip(links, described) {
            #expect(link["index"] as? Int == device["idx"] as? Int)
            #expect(link["name"] as? String == device["IFNAME"] as? String)
            #expect(link["mtu"] as? Int == device["MTU"] as? Int)
            #expect(link["operstate"] as? String == device["OPERSTATE"] as? String)
            #expect(link["hardwareType"] as? Int == device["arphrd"] as? Int)
            #expect(link["hardwareAddress"] as? String == device["ADDRESS"] as? String)
        }
        let kinds = Dictionary(grouping: messages) { $0["kind"] as? String }.mapValues(\.count)
        #expect(
            kinds == [
                "link": 45, "address": 14, "route": 41, "rule": 7, "netconf": 92, "done": 10,
            ])
    }

    @Test(
        "Text has the form of `ip monitor`",
        arguments: [
            "6: wwan1: <POINTOPOINT,NOARP,UP,LOWER_UP> mtu 1500 state UNKNOWN kind wwan link/none",
            "45: ppp0 inet 10.9.0.1 peer 10.9.0.2/32 scope global valid_lft forever preferred_lft forever",
            "broadcast 127.255.255.255 dev lo table local proto kernel scope link src 127.0.0.1",
            "fe80::/64 dev dummy0 proto kernel metric 256",
        ])
    func text(line: String) async throws {
        let result = try await Tool.run("decode", Self.dump.path)
        #expect(result.status == 0)
        #expect(result.lines.contains(line))
    }

    @Test("A Wi-Fi station that waits for WPA is decoded as dormant before it is up")
    func events() async throws {
        let result = try await Tool.run("decode", Self.station.path)
        #expect(result.status == 0)
        let dormant = result.lines.firstIndex {
            $0.hasPrefix("2: wlan0:") && $0.contains("state DORMANT")
        }
        let up = result.lines.firstIndex { $0.hasPrefix("2: wlan0:") && $0.contains("state UP") }
        #expect(try #require(dormant) < #require(up))
        #expect(result.lines.contains { $0.hasPrefix("Deleted 3: wlan1: ") })
    }

    @Test("Both framings are detected, in a file or standard input", arguments: [dump, station])
    func framing(recording: URL) async throws {
        let framed = try Data(contentsOf: recording)
        let expected = try await Tool.run("decode", "--framed", recording.path)
        #expect(expected.status == 0 && expected.lines.count > 40)
        for input in [framed, Vectors.unframed(framed)] {
            #expect(try await Tool.run("decode", input: input).output == expected.output)
        }
        let raw = try await Tool.run("decode", "--raw", "-", input: Vectors.unframed(framed))
        #expect(raw.output == expected.output)
        #expect(try await Tool.run("decode", "--raw", input: framed).status == 65)
    }

    @Test("An empty recording has no messages")
    func empty() async throws {
        let result = try await Tool.run("decode")
        #expect(result.status == 0 && result.output.isEmpty && result.errors.isEmpty)
    }

    @Test(
        "Malformed bytes are reported with their offset, and following messages are decoded",
        arguments: [
            // A link message too short for struct ifinfomsg, then a good one.
            (
                Vectors.message(type: 16, body: Data(count: 4))
                    + Vectors.link(name: Data("a0".utf8)), 0, 1
            ),
            (Vectors.link(name: Data("a0".utf8)) + Data(count: 3), 40, 1),
            // A length above INT_MAX.
            (Data([0, 1, 0, 0x85, 0x81, 0xd7, 1, 0x46]) + Data(repeating: 0xff, count: 9), 0, 0),
        ])
    func malformed(bytes: Data, offset: Int, lines: Int) async throws {
        let result = try await Tool.run("decode", "--raw", input: bytes)
        #expect(result.status == 65)
        #expect(
            result.errors == "reachctl: standard input: a malformed message at byte \(offset)\n")
        #expect(result.lines.count == lines)
    }

    @Test("A frame longer than the file is reported after the whole ones")
    func longFrame() async throws {
        let link = Vectors.link(name: Data("a0".utf8))
        let bytes = Vectors.little(UInt32(link.count)) + link + Data([0xff, 0xff, 0xff, 0xff, 0])
        let result = try await Tool.run("decode", "--framed", input: bytes)
        #expect(result.status == 65)
        #expect(result.lines.count == 1)
        #expect(result.errors.contains("byte \(link.count + 4)"))
    }

    @Test("With any bytes in a name, JSON is valid and text has no control characters")
    func hostileName() async throws {
        let bytes = Vectors.link(
            name: Data([0xff, 0x1b, 0x5b, 0x22, 0x5c, 0x0a, 0xc2, 0x9b, 0x41]))
        let json = try await Tool.run("decode", "--json", "--raw", input: bytes)
        #expect(json.status == 0)
        let link = try #require(try json.objects().first?["link"] as? [String: Any])
        #expect(link["name"] as? String == "\u{fffd}\u{1b}[\"\\\n\u{9b}A")
        let text = try await Tool.run("decode", "--raw", input: bytes)
        #expect(text.lines.count == 1)
        #expect(text.output.hasPrefix("7: \u{fffd}\\u{1b}[\"\\\\u{a}\\u{9b}A: "))
        #expect(
            !text.output.unicodeScalars.contains {
                $0 != "\n" && $0.properties.generalCategory == .control
            })
    }

    @Test("Invisible marks, such as those of text direction, are escaped in text and JSON")
    func marks() async throws {
        let marks: [UInt32] =
            [0x1f, 0x7f, 0x80, 0x9f, 0xad, 0x61c, 0x200b, 0x200e, 0x200f, 0xfeff, 0xe000]
            + Array(0x2028...0x202e) + Array(0x2066...0x2069) + [0xe0001]
        for mark in marks {
            let scalar = try #require(Unicode.Scalar(mark))
            let name = "a\(Character(scalar))b"
            let bytes = Vectors.link(name: Data(name.utf8))
            let json = try await Tool.run("decode", "--json", "--raw", input: bytes)
            #expect(!json.output.unicodeScalars.contains(scalar), "\(mark)")
            let link = try json.objects().first?["link"] as? [String: Any]
            #expect(link?["name"] as? String == name, "\(mark)")
            let text = try await Tool.run("decode", "--raw", input: bytes)
            #expect(!text.output.unicodeScalars.contains(scalar), "\(mark)")
            #expect(text.output.contains("a\\u{\(String(mark, radix: 16))}b"), "\(text.output)")
        }
    }

    @Test("A route's lifetime is printed in seconds as by ip, and in JSON in milliseconds")
    func lifetime() async throws {
        // rta_expires of RTA_CACHEINFO, in ticks of 10 ms.
        for (ticks, seconds, milliseconds) in [
            (3000, "30sec", 30000), (3099, "30sec", 30990), (99, "0sec", 990),
            (-250, "-2sec", -2500),
        ] {
            var info = Data()
            for word in [0, 0, Int32(ticks), 0, 0, 0, 0, 0] { info += Vectors.little(word) }
            // struct rtmsg: AF_INET6, a /64, table main, RTPROT_RA, RTN_UNICAST.
            let route = Data([10, 0, 0, 0, 254, 9, 0, 1, 0, 0, 0, 0])
            let bytes = Vectors.message(
                type: 24, body: route + Vectors.attribute(12, info))
            let text = try await Tool.run("decode", "--raw", input: bytes)
            #expect(text.output == "default proto ra expires \(seconds)\n")
            let json = try await Tool.run("decode", "--json", "--raw", input: bytes)
            let object = try json.objects().first?["route"] as? [String: Any]
            #expect(object?["expires"] as? Int == milliseconds)
        }
    }

    @Test("Damaged recordings end with 0 or 65 and valid JSON", arguments: 0..<24)
    func damaged(seed: UInt64) async throws {
        var random = Random(state: seed)
        var bytes = try Data(contentsOf: seed % 2 == 0 ? Self.dump : Self.station).prefix(8192)
        for _ in 0..<16 {
            bytes[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(
                in: 0...255, using: &random)
        }
        bytes = bytes.prefix(Int.random(in: 1...bytes.count, using: &random))
        let result = try await Tool.run("decode", "--json", input: Data(bytes))
        #expect([0, 65].contains(result.status))
        #expect(result.errors.isEmpty == (result.status == 0))
        _ = try result.objects()
    }

    @Test("A recording that cannot be read is a system error", arguments: ["/nonexistent/x", "/"])
    func unreadable(path: String) async throws {
        let result = try await Tool.run("decode", path)
        #expect(result.status == 71)
        #expect(result.errors.contains(path))
    }
}

/// The same numbers in every run (Knuth's MMIX constants).
private struct Random: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return state ^ state >> 33
    }
}
