// SPDX-License-Identifier: MIT
import CReach
import Testing

/// The choice of local Wi-Fi (169.254.0.0) from the links and addresses of a namespace.
@Suite("Local Wi-Fi")
struct LocalWiFiTests {
    /// The links of a namespace, each with one address, and the local Wi-Fi among them, if any.
    struct Host: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let links: [TestLink]
        let wanted: UInt32?
    }

    /// Reachable and IsDirect of reach/flags.h.
    private static let direct: UInt32 = 1 << 1 | 1 << 17
    private static let veth = TestLink(
        index: 5, kind: "veth", flags: TestLink.usable, lower: 6, lowerNamespace: 0)
    private static let card = TestLink(index: 7, flags: TestLink.usable)

    private static func elsewhere(
        _ kind: String, type: UInt16 = TestLink.ethernet, flags: UInt32 = TestLink.usable
    ) -> TestLink {
        TestLink(
            index: 5, kind: kind, type: type, flags: flags, lower: 6, lowerNamespace: 0)
    }

    static let hosts: [Host] =
        ["veth", "netkit", "macvlan", "macvtap", "ipvlan", "ipvtap", "vlan"].map {
            Host(testDescription: "a container on \($0)", links: [elsewhere($0)], wanted: 5)
        } + [
            Host(
                testDescription: "a bridge and a VLAN over veth",
                links: [
                    TestLink(index: 3, kind: "vlan", flags: TestLink.usable, lower: 4),
                    TestLink(index: 4, kind: "bridge"),
                    TestLink(
                        index: 5, kind: "veth", flags: TestLink.usable, master: 4, lower: 6,
                        lowerNamespace: 0),
                ], wanted: 3),
            Host(
                testDescription: "the other end of a cable in the same namespace",
                links: [TestLink(index: 5, kind: "veth", flags: TestLink.usable, lower: 6)],
                wanted: nil),
            Host(
                testDescription: "no carrier", links: [elsewhere("veth", flags: 1)], wanted: nil),
            Host(
                testDescription: "no Ethernet",
                links: [elsewhere("netkit", type: TestLink.none)], wanted: nil),
            Host(
                testDescription: "a tunnel through another namespace",
                links: [elsewhere("gretap")], wanted: nil),
            Host(testDescription: "a dummy", links: [elsewhere("dummy")], wanted: nil),
            Host(testDescription: "beside a tunnel", links: [veth, tunnel], wanted: 5),
            Host(testDescription: "beside a network card", links: [veth, card], wanted: 7),
            Host(
                testDescription: "beside a network card that is down",
                links: [veth, TestLink(index: 7)], wanted: nil),
            Host(
                testDescription: "beside a modem",
                links: [veth, TestLink(index: 7, kind: "wwan", type: TestLink.none)], wanted: nil),
        ]

    private static let tunnel = TestLink(
        index: 2, kind: "wireguard", type: TestLink.none, flags: TestLink.usable)

    private func driver(_ links: [TestLink]) throws -> EngineDriver {
        try EngineDriver(
            recording: links.map(\.message) + links.map { Self.address(of: $0.index) })
    }

    private func add(to driver: borrowing EngineDriver) throws -> UInt64 {
        let id = try driver.addLocalWiFi()
        try driver.settle()
        return id
    }

    private func check(
        _ driver: borrowing EngineDriver, _ id: UInt64, is wanted: UInt32?,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let state = try driver.state(id)
        #expect(state.flags == (wanted == nil ? 0 : Self.direct), sourceLocation: sourceLocation)
        #expect(state.interface_index == wanted ?? 0, sourceLocation: sourceLocation)
        #expect((state.source.family != 0) == (wanted != nil), sourceLocation: sourceLocation)
    }

    @Test("An Ethernet link into another namespace stands in for a physical one", arguments: hosts)
    func which(host: Host) throws {
        let driver = try driver(host.links)
        let id = try add(to: driver)
        try check(driver, id, is: host.wanted)
    }

    @Test("Local Wi-Fi follows a physical link that is added and removed")
    func follows() throws {
        let driver = try driver([Self.veth])
        let id = try add(to: driver)
        try check(driver, id, is: 5)
        try driver.hear(TestLink(index: 7).message)
        try driver.settle()
        try check(driver, id, is: nil)
        try driver.hear(Self.card.message + Self.address(of: 7))
        try driver.settle()
        try check(driver, id, is: 7)
        var gone = Self.card.message
        gone.replace(wordAt: 4, with: 17)
        try driver.hear(gone)
        try driver.settle()
        try check(driver, id, is: 5)
    }

    @Test("A veth link is local Wi-Fi while its other end is in another namespace")
    func moves() throws {
        var here = Self.veth
        here.lowerNamespace = nil
        let driver = try driver([here])
        let id = try add(to: driver)
        for link in [Self.veth, here] {
            try driver.hear(link.message)
            try driver.settle()
            try check(driver, id, is: link.lowerNamespace == nil ? nil : 5)
        }
    }

    @Test("A veth link that is local Wi-Fi keeps the class virtual")
    func className() throws {
        let driver = try driver([Self.veth])
        let id = try add(to: driver)
        let found =
            try [driver.state(id).interface_class] + driver.interfaces().map(\.interface_class)
        #expect(found.map { CReachTests.className($0) } == ["virtual", "virtual"])
    }

    /// RTM_NEWADDR of 10.0.0.INDEX/24 on an interface (struct ifaddrmsg, IFA_LOCAL).
    private static func address(of index: UInt32) -> [UInt8] {
        var bytes: [UInt8] = []
        for word in [32, 20, 0, 0, 2 | 24 << 8, index, 8 | 2 << 16] as [UInt32] {
            bytes.append(word: word)
        }
        return bytes + [10, 0, 0, UInt8(index)]
    }
}
