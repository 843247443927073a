// SPDX-License-Identifier: MIT
import CReach
import Testing

/// Events of a bridge's ports have the family AF_BRIDGE: a port that leaves looks like a deleted
/// link (br_ifinfo_notify, net/bridge/br_netlink.c).
///
/// The RTM_NEWLINK that follows would hide a mistake at once, so no test against a kernel sees it.
@Suite("Ports of a bridge")
struct BridgeTests {
    enum Event: UInt16 {
        case newLink = 16
        case deletedLink = 17
    }

    private static let bridge = TestLink(index: 1, kind: "bridge", flags: TestLink.usable)
    private static let port = TestLink(index: 2, kind: "veth", flags: TestLink.usable, master: 1)

    private func indices(
        after event: Event, family: UInt8, of link: TestLink
    ) throws -> [UInt32] {
        let driver = try EngineDriver(recording: [Self.bridge.message, Self.port.message])
        try driver.settle()
        #expect(try driver.interfaces().map(\.index) == [1, 2])
        var message = link.message
        message.replace(wordAt: 4, with: UInt32(event.rawValue))
        message[16] = family
        try driver.hear(message)
        try driver.settle()
        return try driver.interfaces().map(\.index)
    }

    @Test("A port that leaves its bridge is still there")
    func leaves() throws {
        #expect(try indices(after: .deletedLink, family: 7, of: Self.port) == [1, 2])
    }

    @Test("A deleted link is removed")
    func goes() throws {
        #expect(try indices(after: .deletedLink, family: 0, of: Self.port) == [1])
    }

    @Test("A bridge's event about an unknown port adds no link")
    func joins() throws {
        let unknown = TestLink(index: 3, flags: TestLink.usable, master: 1)
        #expect(try indices(after: .newLink, family: 7, of: unknown) == [1, 2])
    }
}
