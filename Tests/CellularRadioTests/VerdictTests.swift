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
    @Test("Registering, locking, or losing a modem changes flags")
    func flags() async {
        await #expect(processExitsWith: .success) {
            try VerdictTests.inChild { try VerdictTests.check($0, &$1, connectsOnTraffic: false) }
        }
    }

    @Test("The same holds for a modem that connects on traffic")
    func flagsOnTraffic() async {
        await #expect(processExitsWith: .success) {
            try VerdictTests.inChild { try VerdictTests.check($0, &$1, connectsOnTraffic: true) }
        }
    }

    @Test(
        "The last of two handles counts, and cancelling it, even twice, restores the other's modems"
    )
    func handles() async {
        await #expect(processExitsWith: .success) {
            try VerdictTests.inChild { try VerdictTests.checkHandles($0, &$1) }
        }
    }

    private static func inChild(
        _ check: (CellularRadio, inout FakeModemManager) throws -> Bool
    ) throws {
        let place = try Place()
        let bus = try Bus(place)
        var service = try FakeModemManager(place, "own")
        let own = try Namespace()
        // libdispatch has no threads in a child. The child's loop notices that only if the parent
        // has a loop, which this call creates.
        MonitorLoop.perform { [] }
        let child = fork(atRest: true) {
            guard (try? own.enter()) != nil else { return 1 }
            return (try? check(place.radio(), &service)) == true ? 0 : 2
        }
        precondition(wait(for: child) == 0)
        service.crash()
        bus.crash()
    }

    private static func startMonitoring(
        _ flags: Flags
    ) throws -> NetworkReachabilityManager {
        let manager = try NetworkReachabilityManager(
            target: .address(NetworkAddress("192.0.2.1")))
        manager.addListener(queue: .test()) { flags.add($0.flags) }
        try manager.startMonitoring()
        return manager
    }

    private static func check(
        _ radio: CellularRadio, _ service: inout FakeModemManager, connectsOnTraffic: Bool
    ) throws -> Bool {
        let flags = Flags()
        let manager = try startMonitoring(flags)
        defer { manager.stopMonitoring() }
        guard flags.next() == [] else { return false }
        let update = radio.informReachability(connectsOnTraffic: connectsOnTraffic)
        let registered = connectsOnTraffic ? waiting.union(.connectionOnTraffic) : waiting
        try service.send("modem 0 state=8 tech=0x4000")
        guard flags.next() == registered else { return false }
        try service.send("modem 0 state=2 lock=2")
        guard flags.next()?.contains(waiting.union(.interventionRequired)) == true else {
            return false
        }
        try service.send("modem 0 state=10 lock=1")
        guard flags.next() == registered else { return false }
        try service.send("disown")
        guard flags.next() == [] else { return false }
        try service.send("own")
        guard flags.next() == registered else { return false }
        update.cancel()
        return flags.next() == []
    }

    private static func checkHandles(
        _ radio: CellularRadio, _ service: inout FakeModemManager
    ) throws -> Bool {
        let flags = Flags()
        let manager = try startMonitoring(flags)
        defer { manager.stopMonitoring() }
        guard flags.next() == [] else { return false }
        try service.send("modem 0 state=8 tech=0x4000")
        let first = radio.informReachability()
        guard flags.next() == waiting else { return false }
        let second = radio.informReachability(connectsOnTraffic: true)
        guard flags.next() == waiting.union(.connectionOnTraffic) else { return false }
        second.cancel()
        guard flags.next() == waiting else { return false }
        second.cancel()
        // A call of the loop that was running when its handle was cancelled does the same.
        InterfaceFeeds.current.apply()
        try service.send("modem 0 state=2 lock=2")
        guard flags.next()?.contains(.interventionRequired) == true else { return false }
        first.cancel()
        return flags.next() == []
    }
}

/// Collects flags, for which a thread can wait.
private final class Flags: Sendable {
    private let values = Mutex<[ReachabilityFlags]>([])
    private let count = DispatchSemaphore(value: 0)

    func add(_ flags: ReachabilityFlags) {
        values.withLock { $0.append(flags) }
        count.signal()
    }

    /// The next flags; nil if none come in two minutes.
    func next() -> ReachabilityFlags? {
        guard count.wait(timeout: .now() + 120) == .success else { return nil }
        return values.withLock { $0.removeFirst() }
    }
}
