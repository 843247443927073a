// SPDX-License-Identifier: MIT
import Testing

@testable import SystemBus

@Suite("How long an answer is waited for")
struct PatienceTests {
    @Test("in all as long as it may take, and again once there was an answer")
    func once() {
        var channel = BusChannel<ModemManagerReport>()
        channel.add(BusLoop.Identity()) { _ in }
        #expect(channel.patience(at: 5000, of: 1) == 1)
        #expect(channel.patience(at: 5250, of: 1) == 0.75)
        #expect(channel.patience(at: 6000, of: 1) == 0)
        #expect(channel.patience(at: 90_000, of: 1) == 0)
        // Someone with more time has what's left of it.
        #expect(channel.patience(at: 90_000, of: 120) == 35)
        _ = channel.take(ModemManagerReport(.starting))
        #expect(channel.patience(at: 90_000, of: 1) == 0)
        _ = channel.take(ModemManagerReport(.noDaemon))
        _ = channel.take(ModemManagerReport(.starting))
        #expect(channel.patience(at: 91_000, of: 1) == 1)
    }
}
