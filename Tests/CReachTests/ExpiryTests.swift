// SPDX-License-Identifier: MIT
import Testing

@Suite("Routes that expire")
struct ExpiryTests {
    /// A default route with its remaining lifetime, in ticks of 10 ms.
    private static func route(left ticks: UInt32) -> [UInt8] {
        var bytes: [UInt8] = []
        for word in [64, 24, 0, 0] as [UInt32] {
            bytes.append(word: word)
        }
        // struct rtmsg: AF_INET6, table main, RTPROT_RA, RTN_UNICAST.
        bytes += [10, 0, 0, 0, 254, 9, 0, 1, 0, 0, 0, 0]
        // RTA_CACHEINFO: rta_expires is its third member (linux/rtnetlink.h).
        for word in [36 | 12 << 16, 0, 0, ticks, 0, 0, 0, 0, 0] as [UInt32] {
            bytes.append(word: word)
        }
        return bytes
    }

    @Test("An expiring route is looked up when it should end, and again after its last tick")
    func lastTick() throws {
        var engine = try EngineDriver(recording: [])
        var left: UInt32 = 500
        engine.route = { _ in Self.route(left: left) }
        engine.clock(1000)
        try engine.add("2001:db8::1")
        try engine.settle()
        // The dumps of an idle engine.
        engine.clock(1001)
        try engine.settle()
        #expect(engine.deadline == 6020)

        // The last tick reads like a route that never expires.
        left = 0
        engine.clock(6020)
        try engine.settle()
        #expect(engine.deadline == 6040)

        engine.clock(6040)
        try engine.settle()
        #expect(engine.deadline == nil)
    }

    @Test("Another lookup in the last tick does not cancel the one after it")
    func askedInTheLastTick() throws {
        var engine = try EngineDriver(recording: [])
        var left: UInt32 = 500
        var asked = 0
        engine.route = { _ in
            asked += 1
            return Self.route(left: left)
        }
        engine.clock(1000)
        try engine.add("2001:db8::1")
        try engine.settle()

        left = 0
        for moment in [5992, 5996] as [Int64] {
            engine.clock(moment)
            engine.refresh()
            try engine.settle()
        }
        let before = asked
        engine.clock(6040)
        try engine.settle()
        #expect(asked > before)
    }
}
