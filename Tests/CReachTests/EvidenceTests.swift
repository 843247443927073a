// SPDX-License-Identifier: MIT
import CReach
import Testing

@Suite("Evidence of sysfs") struct EvidenceTests {
    private let driver: Box

    /// A class may own what is not copyable; a suite may not.
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

    /// Which links were asked for.
    private func give(_ devtype: String?) throws -> [UInt32] {
        var asked: [UInt32] = []
        try driver.engine.giveEvidence { index in
            asked.append(index)
            return devtype.map {
                var evidence = reach_evidence()
                evidence.size = MemoryLayout<reach_evidence>.size
                set(&evidence.devtype, to: $0)
                return evidence
            }
        }
        return asked
    }

    private func className() throws -> String? {
        try driver.engine.interfaces().first.flatMap { CReachTests.className($0.interface_class) }
    }

    @Test("Evidence is asked for once")
    func once() throws {
        #expect(try give("wlan") == [1])
        #expect(try give("wwan") == [])
        try driver.engine.hear(card.message)
        #expect(try give("wwan") == [])
        #expect(try className() == "wifi")
    }

    @Test("A renamed link is asked for again, and what was known of it does not outlive that")
    func rename() throws {
        #expect(try give("wlan") == [1])
        var renamed = card
        renamed.name = "wlp2s0"
        try driver.engine.hear(renamed.message)
        #expect(try give(nil) == [1])
        #expect(try className() == "wiredEthernet")
    }

    @Test("A link of which nothing was believed is asked for again with its new address")
    func newAddress() throws {
        #expect(try give(nil) == [1])
        var changed = card
        changed.address[5] = 2
        try driver.engine.hear(changed.message)
        #expect(try give("wlan") == [1])
        #expect(try className() == "wifi")
    }
}
