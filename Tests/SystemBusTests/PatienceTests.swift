// SPDX-License-Identifier: MIT
import NetworkReachability
import SwiftTestSupport
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

    @Test("A late listener gets the latest state, once")
    func late() {
        let told = Recorder<String>()
        var channel = BusChannel<CellularRadioState>(.modemManager)
        func take(_ new: CellularRadioState?) -> Int {
            let round = channel.take(new)
            round?.forEachChange { listener in round.map { listener.call($0.value) } }
            return told.values.count
        }
        _ = channel.add { _ in told.record("first") }
        #expect(take(CellularRadioState(availability: .noDaemon)) == 1)
        _ = channel.add { _ in told.record("late") }
        #expect(take(nil) == 2 && take(nil) == 2)
        #expect(told.values == ["first", "late"])
    }

    @Test("A service is watched a little longer than it has listeners, and its state is forgotten")
    func lingers() {
        var channel = BusChannel<CellularRadioState>(.modemManager)
        let id = channel.add { _ in }
        _ = channel.take(CellularRadioState(availability: .noDaemon))
        #expect(channel.staysWatched(at: 1000, linger: 500) && channel.end == nil)
        _ = channel.remove(id)
        #expect(channel.staysWatched(at: 1000, linger: 500) && channel.end == 1500)
        #expect(channel.staysWatched(at: 1499, linger: 500) && channel.latest != nil)
        #expect(!channel.staysWatched(at: 1500, linger: 500) && channel.latest == nil)
    }
}
