// SPDX-License-Identifier: MIT
import NetworkReachability
import Testing

@testable import SystemServices

@Suite("Waiting for an answer")
struct PatienceTests {
    @Test("All reads share the time of one wait, which starts over after an answer")
    func once() {
        var channel = BusChannel<CellularRadioState>(.modemManager)
        _ = channel.add { _ in }
        #expect(channel.patience(at: 5000, of: .seconds(1)) == .seconds(1))
        #expect(channel.patience(at: 5250, of: .seconds(1)) == .milliseconds(750))
        #expect(channel.patience(at: 6000, of: .seconds(1)) == .zero)
        #expect(channel.patience(at: 90_000, of: .seconds(1)) == .zero)
        // A read with a longer timeout waits for the rest of it.
        #expect(channel.patience(at: 90_000, of: .seconds(120)) == .seconds(35))
        _ = channel.take(CellularRadioState(availability: .starting))
        #expect(channel.patience(at: 90_000, of: .seconds(1)) == .zero)
        _ = channel.take(CellularRadioState(availability: .noDaemon))
        _ = channel.take(CellularRadioState(availability: .starting))
        #expect(channel.patience(at: 91_000, of: .seconds(1)) == .seconds(1))
    }
}
