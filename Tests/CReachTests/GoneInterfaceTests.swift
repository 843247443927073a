// SPDX-License-Identifier: MIT
import CReach
import Testing

/// An interface that is gone is not named.
@Suite("Interfaces that are gone")
struct GoneInterfaceTests {
    /// A route to 192.0.2.1 over interface 7, with a gateway and a source.
    private static let route: [UInt8] = {
        var bytes: [UInt8] = []
        for word in [52, 24, 0, 0] as [UInt32] { bytes.append(word: word) }
        // struct rtmsg: AF_INET, /32, table main, RTN_UNICAST.
        bytes += [2, 32, 0, 0, 254, 0, 0, 1, 0, 0, 0, 0]
        // RTA_OIF, RTA_GATEWAY, RTA_PREFSRC.
        for word in [8 | 4 << 16, 7, 8 | 5 << 16, 0x0200_000a, 8 | 7 << 16, 0x0100_000a] as [UInt32]
        {
            bytes.append(word: word)
        }
        return bytes
    }()

    @Test("The state for an answer over an unknown interface has no interface, gateway, or source")
    func unknown() throws {
        var driver = try EngineDriver(recording: [])
        driver.route = { _ in Self.route }
        let id = try driver.add("192.0.2.1")
        try driver.settle()
        let state = try driver.state(id)
        #expect(state.flags == 0)
        #expect(state.reason == reach_reason.REACH_REASON_LINK_DOWN.rawValue)
        #expect(state.interface_index == 0)
        #expect(state.gateway.family == 0 && state.source.family == 0)
    }

    @Test("A deleted interface is not named while its targets wait for a lookup")
    func went() throws {
        var driver = try EngineDriver(recording: [TestLink(index: 7).message])
        driver.route = { _ in Self.route }
        let id = try driver.add("192.0.2.1")
        try driver.settle()
        let before = try driver.state(id)
        #expect(before.interface_index == 7)
        #expect(className(before.interface_class) == "wiredEthernet")
        var gone = TestLink(index: 7).message
        gone.replace(wordAt: 4, with: 17)
        try driver.hear(gone)
        #expect(try !driver.requests().isEmpty)
        let state = try driver.state(id)
        #expect(state.flags == 0)
        #expect(state.interface_index == 0)
        #expect(className(state.interface_class) == "other")
        #expect(text(of: state.interface_name).isEmpty)
    }
}
