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
        _ check: (CellularRadio, FakeModemManager) throws -> Bool
    ) throws {
        let place = try Place()
        try place.startBus()
        let service = try FakeModemManager(place, "own")
        let own = try Namespace()
        // libdispatch has no threads in a child. The child's loop notices that only if the parent
        // has a loop, which this call creates.
        MonitorLoop.perform { [] }
        let child = fork(atRest: true) {
            guard (try? own.enter()) != nil else { return 1 }
            return (try? check(place.radio(), service)) == true ? 0 : 2
        }
        precondition(wait(for: child) == 0)
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
    ) throws -> Bool {
        let flags = Mailbox<ReachabilityFlags>()
        let manager = try startMonitoring(flags)
        defer { manager.stopMonitoring() }
        guard flags.take() == [] else { return false }
        let update = radio.informReachability(connectsOnTraffic: connectsOnTraffic)
        let registered = connectsOnTraffic ? waiting.union(.connectionOnTraffic) : waiting
        try service.send("modem 0 state=8 tech=0x4000")
        guard flags.take() == registered else { return false }
        try service.send("modem 0 state=2 lock=2")
        guard flags.take()?.contains(waiting.union(.interventionRequired)) == true else {
            return false
        }
        try service.send("modem 0 state=10 lock=1")
        guard flags.take() == registered else { return false }
        try service.send("disown")
        guard flags.take() == [] else { return false }
        try service.send("own")
        guard flags.take() == registered else { return false }
        update.cancel()
        return flags.take() == []
    }

    private static func checkHandles(
        _ radio: CellularRadio, _ service: FakeModemManager
    ) throws -> Bool {
        let flags = Mailbox<ReachabilityFlags>()
        let manager = try startMonitoring(flags)
        defer { manager.stopMonitoring() }
        guard flags.take() == [] else { return false }
        try service.send("modem 0 state=8 tech=0x4000")
        let first = radio.informReachability()
        guard flags.take() == waiting else { return false }
        let second = radio.informReachability(connectsOnTraffic: true)
        guard flags.take() == waiting.union(.connectionOnTraffic) else { return false }
        second.cancel()
        guard flags.take() == waiting else { return false }
        second.cancel()
        // A call of the loop that was running when its handle was cancelled does the same.
        InterfaceFeeds.current.apply()
        try service.send("modem 0 state=2 lock=2")
        guard flags.take()?.contains(.interventionRequired) == true else { return false }
        first.cancel()
        return flags.take() == []
    }
}
