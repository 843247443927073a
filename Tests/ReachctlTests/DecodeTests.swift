// SPDX-License-Identifier: MIT
import Foundation
import SwiftTestSupport
import Testing

@Suite("reachctl decode", .blocking, .timeLimit(.minutes(10)))
struct DecodeTests {
    private static let dump = "debian-6.1-devices.dump"
    private static let station = "debian-6.1-wifi-wpa2.events"

    private static func decode(_ recording: String) throws -> Tool.Result {
        try Tool.run("decode", input: Vectors.recording(recording))
    }

    @Test("The links of a recorded dump are those that its description lists")
    func links() throws {
        let result = try Self.decode(Self.dump)
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
            kinds == ["link": 45, "address": 14, "route": 41, "rule": 7, "netconf": 92, "done": 10])
    }

    @Test("Members have the numbers of rtnetlink, and the words of iproute2")
    func members() throws {
        let messages = try Self.decode(Self.dump).objects()
        let expected: [(String, NSDictionary)] = [
            (
                "link",
                [
                    "index": 6, "name": "wwan1", "kind": "wwan", "family": 0, "hardwareType": 65534,
                    "flags": 0x100d1, "mtu": 1500, "operstate": "UNKNOWN", "carrier": true,
                    "wireless": false,
                ]
            ),
            (
                "address",
                [
                    "interface": 45, "family": 2, "address": "10.9.0.1", "prefixLength": 32,
                    "peer": "10.9.0.2", "scope": "global", "flags": 0x80,
                ]
            ),
            (
                "route",
                [
                    "family": 2, "type": "broadcast", "destination": "127.255.255.255",
                    "interface": 1, "table": 255, "protocol": "kernel", "scope": "link", "tos": 0,
                    "flags": 0x8000, "source": "127.0.0.1",
                ]
            ),
        ]
        for (kind, body) in expected {
            #expect(messages.contains { $0[kind] as? NSDictionary == body }, "\(body)")
        }
    }

    @Test("A Wi-Fi station that waits for WPA is decoded as dormant before it is up")
    func events() throws {
        let result = try Self.decode(Self.station)
        #expect(result.status == 0)
        let messages = try result.objects()
        func first(_ operstate: String) -> Int? {
            messages.firstIndex {
                let link = $0["link"] as? [String: Any]
                return link?["name"] as? String == "wlan0"
                    && link?["operstate"] as? String == operstate
            }
        }
        #expect(try #require(first("DORMANT")) < #require(first("UP")))
        #expect(
            messages.contains {
                $0["deleted"] as? Bool == true
                    && ($0["link"] as? [String: Any])?["name"] as? String == "wlan1"
            })
    }

    @Test("A rule has all its selectors, and the number of those that aren't decoded")
    func rule() throws {
        // struct fib_rule_hdr: AF_INET, to a /24, from a /32, a type of service, FR_ACT_GOTO.
        let header = Data([2, 24, 32, 0x10, 0, 0, 0, 2]) + Vectors.little(UInt32(0))
        let attributes: [(UInt16, Data)] = [
            (1, Data([192, 0, 2, 0])), (2, Data([198, 51, 100, 1])),  // FRA_DST, FRA_SRC
            (3, Data("in0\0".utf8)), (17, Data("out0\0".utf8)),  // FRA_IIFNAME, FRA_OIFNAME
            (4, Vectors.little(UInt32(900))), (6, Vectors.little(UInt32(7))),  // GOTO, PRIORITY
            (10, Vectors.little(UInt32(5))), (16, Vectors.little(UInt32(0xff))),  // FWMARK, FWMASK
            (13, Vectors.little(UInt32(3))), (14, Vectors.little(UInt32(8))),  // SUPPRESS_*
            (19, Data([1])), (22, Data([6])),  // FRA_L3MDEV, FRA_IP_PROTO
            (20, Vectors.little(UInt32(1000)) + Vectors.little(UInt32(1999))),  // FRA_UID_RANGE
            (23, Vectors.little(UInt16(1)) + Vectors.little(UInt16(9))),  // FRA_SPORT_RANGE
        ]
        let body = attributes.reduce(header) { $0 + Vectors.attribute($1.0, $1.1) }
        let result = try Tool.run(
            "decode", input: Vectors.message(type: 32, body: body))
        let rule = try #require(try result.objects().first?["rule"] as? NSDictionary)
        #expect(
            rule == [
                "priority": 7, "family": 2, "from": "198.51.100.1", "to": "192.0.2.0/24",
                "input": "in0", "output": "out0", "mark": 5, "markMask": 255, "firstUID": 1000,
                "lastUID": 1999, "ipProtocol": 6, "tos": 16, "vrf": true, "otherSelectors": 1,
                "flags": 0, "action": 2, "table": 0, "goto": 900, "suppressPrefixLength": 8,
                "suppressGroup": 3,
            ])
        #expect(try schemaProblems(in: result.output, as: "message") == [])
    }

    @Test("A rule without selectors has none; that of VRFs selects by the VRF")
    func ruleWithoutSelectors() throws {
        let rules = try Self.decode(Self.dump).objects().compactMap {
            $0["rule"] as? NSDictionary
        }
        #expect(rules.count == 7)
        #expect(rules.first == ["priority": 0, "family": 2, "flags": 0, "action": 1, "table": 255])
        #expect(
            rules.filter { $0["vrf"] as? Bool == true }.map { $0["priority"] as? Int } == [
                1000, 1000,
            ])
    }

    @Test("A recording is read from a file, too")
    func file() throws {
        let folder = try Folder("recording")
        try Vectors.recording(Self.station).write(to: folder.file("events"))
        let result = try Tool.run("decode", folder.file("events").path)
        #expect(try result.output == Self.decode(Self.station).output)
        #expect(result.lines.count > 40)
    }

    @Test("An empty recording has no messages")
    func empty() throws {
        let result = try Tool.run("decode")
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
    func malformed(bytes: Data, offset: Int, lines: Int) throws {
        let result = try Tool.run("decode", input: bytes)
        #expect(result.status == 65)
        #expect(
            result.errors == "reachctl: standard input: a malformed message at byte \(offset)\n")
        #expect(result.lines.count == lines)
    }

    @Test("With any bytes in a name, JSON is valid")
    func hostileName() throws {
        let bytes = Vectors.link(
            name: Data([0xff, 0x1b, 0x5b, 0x22, 0x5c, 0x0a, 0xc2, 0x9b, 0x41]))
        let json = try Tool.run("decode", input: bytes)
        #expect(json.status == 0)
        #expect(json.lines.count == 1)
        let link = try #require(try json.objects().first?["link"] as? [String: Any])
        #expect(link["name"] as? String == "\u{fffd}\u{1b}[\"\\\n\u{9b}A")
    }

    @Test("Invisible marks, such as those of text direction, are escaped")
    func marks() throws {
        let marks: [UInt32] =
            [0x1f, 0x7f, 0x80, 0x9f, 0xad, 0x61c, 0x200b, 0x200e, 0x200f, 0xfeff, 0xe000]
            + Array(0x2028...0x202e) + Array(0x2066...0x2069) + [0xe0001]
        for mark in marks {
            let scalar = try #require(Unicode.Scalar(mark))
            let name = "a\(Character(scalar))b"
            let bytes = Vectors.link(name: Data(name.utf8))
            let json = try Tool.run("decode", input: bytes)
            #expect(!json.output.unicodeScalars.contains(scalar), "\(mark)")
            let link = try json.objects().first?["link"] as? [String: Any]
            #expect(link?["name"] as? String == name, "\(mark)")
        }
    }

    @Test("A route's lifetime is printed in milliseconds")
    func lifetime() throws {
        // rta_expires of RTA_CACHEINFO, in ticks of 10 ms.
        for (ticks, milliseconds) in [(3000, 30000), (3099, 30990), (99, 990), (-250, -2500)] {
            var info = Data()
            for word in [0, 0, Int32(ticks), 0, 0, 0, 0, 0] { info += Vectors.little(word) }
            // struct rtmsg: AF_INET6, a /64, table main, RTPROT_RA, RTN_UNICAST.
            let route = Data([10, 0, 0, 0, 254, 9, 0, 1, 0, 0, 0, 0])
            let bytes = Vectors.message(type: 24, body: route + Vectors.attribute(12, info))
            let json = try Tool.run("decode", input: bytes)
            let object = try json.objects().first?["route"] as? [String: Any]
            #expect(object?["expires"] as? Int == milliseconds)
        }
    }

    @Test("Damaged recordings end with 0 or 65 and valid JSON", arguments: 0..<24)
    func damaged(seed: UInt64) throws {
        var random = Random(state: seed)
        var bytes = try Vectors.recording(seed % 2 == 0 ? Self.dump : Self.station).prefix(8192)
        for _ in 0..<16 {
            bytes[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(
                in: 0...255, using: &random)
        }
        bytes = bytes.prefix(Int.random(in: 1...bytes.count, using: &random))
        let result = try Tool.run("decode", input: Data(bytes))
        #expect([0, 65].contains(result.status))
        #expect(result.errors.isEmpty == (result.status == 0))
        _ = try result.objects()
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
