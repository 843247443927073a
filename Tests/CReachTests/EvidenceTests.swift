// SPDX-License-Identifier: MIT
import CReach
import CReachInternal
import Testing

@Suite("Evidence from sysfs") struct EvidenceTests {
    private let driver: Box

    /// A class can own a noncopyable value, and a suite can't.
    final class Box {
        let engine: EngineDriver

        init(_ links: [TestLink]) throws {
            engine = try EngineDriver(recording: links.map(\.message))
            try engine.settle()
        }
    }

    private let card = TestLink(index: 1, address: [2, 0, 0, 0, 0, 1])

    init() throws {
        driver = try Box([card])
    }

    /// Gives evidence, and returns the links for which the engine wanted it.
    private func give(_ devtype: String?) throws -> [UInt32] {
        var asked: [UInt32] = []
        try driver.engine.giveEvidence { index in
            asked.append(index)
            return devtype.map { Evidence(devtype: $0) }
        }
        return asked
    }

    private func className() throws -> String? {
        try driver.engine.interfaces().first.flatMap { CReachTests.className($0.interface_class) }
    }

    @Test("Evidence for a link is wanted once")
    func once() throws {
        #expect(try give("wlan") == [1])
        #expect(try give("wwan") == [])
        try driver.engine.hear(card.message)
        #expect(try give("wwan") == [])
        #expect(try className() == "wifi")
    }

    @Test("Evidence for a renamed link is wanted again, and the old evidence is dropped")
    func rename() throws {
        #expect(try give("wlan") == [1])
        var renamed = card
        renamed.name = "wlp2s0"
        try driver.engine.hear(renamed.message)
        #expect(try give(nil) == [1])
        #expect(try className() == "wiredEthernet")
    }

    @Test("Evidence for a link that had none is wanted again after its address changes")
    func newAddress() throws {
        #expect(try give(nil) == [1])
        var changed = card
        changed.address[5] = 2
        try driver.engine.hear(changed.message)
        #expect(try give("wlan") == [1])
        #expect(try className() == "wifi")
    }
}
