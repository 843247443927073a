// SPDX-License-Identifier: MIT
import BusTestSupport
import Dispatch
import NetworkReachability
import SwiftTestSupport
import Synchronization
import Testing

@testable import SystemServices

/// Tests the path from a property on D-Bus to a verdict of the engine.
@Suite("Modems in verdicts", .needsNamespaces, .blocking, .timeLimit(.minutes(10)))
struct VerdictTests {
    private static let waiting: ReachabilityFlags = [
        .reachable, .transientConnection, .connectionRequired, .isWWAN,
    ]

    /// Runs in a child process, whose main thread enters a network namespace without routes.
    @Test("Registering, locking, or losing a modem changes flags, also if it connects on traffic")
    func flags() async {
        await #expect(processExitsWith: .success) {
            for connects in [false, true] {
                try VerdictTests.inChild {
                    try VerdictTests.check($0, $1, connectsOnTraffic: connects)
                }
            }
        }
    }

    @Test(
        "The last of two handles counts, and cancelling it, even twice, restores the other's modems"
    )
    func handles() async {
        await #expect(processExitsWith: .success) {
            try VerdictTests.inChild { try VerdictTests.checkHandles($0, $1) }
        }
    }

    private static func inChild(
        _ check: (CellularRadio, FakeModemManager) throws -> Void
    ) throws {
        let place = try Place()
        try place.startBus()
        let service = try FakeModemManager(place, "own")
        try Namespace().runInChild { try check(place.radio(), service) }
    }

    private static func startMonitoring(
        _ flags: Mailbox<ReachabilityFlags>
    ) throws -> NetworkReachabilityManager {
        let manager = try NetworkReachabilityManager(target: .address(NetworkAddress("192.0.2.1")))
        manager.addListener(queue: .test()) { flags.put($0.flags) }
        try manager.startMonitoring()
        return manager
    }

    private static func check(
        _ radio: CellularRadio, _ service: FakeModemManager, connectsOnTraffic: Bool
    ) throws {
        let flags = Mailbox<ReachabilityFlags>()
        let manager = try startMonitoring(flags)
        defer { manager.stopMonitoring() }
        try hold(flags.take() == [])
        let update = radio.informReachability(connectsOnTraffic: connectsOnTraffic)
        let registered = connectsOnTraffic ? waiting.union(.connectionOnTraffic) : waiting
        try service.send("modem 0 state=8 tech=0x4000")
        try hold(flags.take() == registered)
        try service.send("modem 0 state=2 lock=2")
        try hold(flags.take()?.contains(waiting.union(.interventionRequired)) == true)
        try service.send("modem 0 state=10 lock=1")
        try hold(flags.take() == registered)
        try service.send("disown")
        try hold(flags.take() == [])
        try service.send("own")
        try hold(flags.take() == registered)
        update.cancel()
        try hold(flags.take() == [])
    }

    private static func checkHandles(
        _ radio: CellularRadio, _ service: FakeModemManager
    ) throws {
        let flags = Mailbox<ReachabilityFlags>()
        let manager = try startMonitoring(flags)
        defer { manager.stopMonitoring() }
        try hold(flags.take() == [])
        try service.send("modem 0 state=8 tech=0x4000")
        let first = radio.informReachability()
        try hold(flags.take() == waiting)
        let second = radio.informReachability(connectsOnTraffic: true)
        try hold(flags.take() == waiting.union(.connectionOnTraffic))
        second.cancel()
        try hold(flags.take() == waiting)
        second.cancel()
        // A call of the loop that was running when its handle was cancelled does the same.
        InterfaceFeeds.current.apply()
        try service.send("modem 0 state=2 lock=2")
        try hold(flags.take()?.contains(.interventionRequired) == true)
        first.cancel()
        try hold(flags.take() == [])
    }
}
