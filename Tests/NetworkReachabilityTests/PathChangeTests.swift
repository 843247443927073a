// SPDX-License-Identifier: MIT

import NetworkReachabilityTesting
import Synchronization
import Testing

@testable import NetworkReachability

@Suite("New paths", .timeLimit(.minutes(10)))
struct PathChangeTests {
    /// A state over Wi-Fi, with the differences that a test is about.
    private static func snapshot(
        interface index: UInt32 = 2, named name: String = "wlan0", source: String = "192.0.2.7",
        gateway: String = "192.0.2.1", addresses: [String] = ["198.51.100.1", "198.51.100.2"],
        isMetered: Bool? = nil
    ) throws -> ReachabilitySnapshot {
        ReachabilitySnapshot(
            flags: .reachable,
            interface: ReachabilitySnapshot.Interface(
                index: index, name: name, interfaceClass: .wifi),
            source: try NetworkAddress(source), gateway: try NetworkAddress(gateway),
            addresses: try addresses.map { try NetworkAddress($0) }, resolution: .done,
            isMetered: isMetered)
    }

    @Test("Interface, source, gateway, addresses, and the end of an outage make a path new")
    func tracker() throws {
        let reversed = ["198.51.100.2", "198.51.100.1"]
        let pending = ReachabilitySnapshot(flags: .reachable, resolution: .pending)
        let rows: [(snapshot: ReachabilitySnapshot, isNew: Bool)] = try [
            (Self.snapshot(), false),
            (Self.snapshot(isMetered: true), false), (Self.snapshot(named: "lan"), false),
            (Self.snapshot(addresses: reversed), false),
            (pending, false), (ReachabilitySnapshot(flags: [], resolution: .pending), false),
            (Self.snapshot(), false),
            (Self.snapshot(interface: 3), true), (Self.snapshot(interface: 3), false),
            (Self.snapshot(), true),
            (Self.snapshot(source: "192.0.2.8"), true), (Self.snapshot(), true),
            (Self.snapshot(gateway: "192.0.2.254"), true), (Self.snapshot(), true),
            (Self.snapshot(addresses: ["198.51.100.1"]), true), (Self.snapshot(), true),
            (ReachabilitySnapshot(flags: []), false), (ReachabilitySnapshot(flags: []), false),
            (Self.snapshot(), true), (Self.snapshot(), false),
        ]
        var path = PathTracker()
        for (number, row) in rows.enumerated() {
            let isNew = path.isNew(row.snapshot)
            #expect(isNew == row.isNew, "row \(number)")
        }
        var later = PathTracker()
        let (before, after) = try (
            later.isNew(ReachabilitySnapshot(flags: [])), later.isNew(Self.snapshot())
        )
        #expect(!before && after)
    }

    @Test("Each new path is a value")
    func differences() async throws {
        let network = try SimulatedReachability(target: .domain("a.example"))
        network.setSnapshot(try Self.snapshot())
        var paths = network.manager.pathChanges.makeAsyncIterator()
        for new in try [
            Self.snapshot(gateway: "192.0.2.254"),
            Self.snapshot(source: "192.0.2.8", gateway: "192.0.2.254"),
            Self.snapshot(interface: 3, source: "192.0.2.8", gateway: "192.0.2.254"),
            Self.snapshot(addresses: ["198.51.100.1"]),
        ] {
            network.setSnapshot(new)
            #expect(try await paths.next() == new)
        }
    }

    @Test("The same path after an outage is new, even if nobody looked meanwhile")
    func outage() async throws {
        let network = try SimulatedReachability()
        var paths = network.manager.pathChanges.makeAsyncIterator()
        network.setOnline(over: .wifi)
        #expect(try await paths.next()?.interface?.interfaceClass == .wifi)
        network.setOffline(.linkDown)
        network.setOnline(over: .wifi)
        network.setOffline(.linkDown)
        network.setOnline(over: .wifi)
        #expect(try await paths.next()?.status == .reachableViaWiFi)
        // The outage was one value, and so is the next difference.
        network.setOnline(over: .cellular)
        #expect(try await paths.next()?.status == .reachableViaWWAN)
    }

    @Test("A sequence of paths throws the error of its monitor, and ends with its task")
    func ends() async throws {
        let network = try SimulatedReachability()
        network.setStartError(.system(.outOfMemory, doing: "starting"))
        await #expect(throws: ReachabilityError.self) {
            for try await _ in network.manager.pathChanges {}
        }
        network.setStartError(nil)
        var paths = network.manager.pathChanges.makeAsyncIterator()
        network.fail(.outOfMemory)
        await #expect(throws: ReachabilityError.self) { try await paths.next() }
        let manager = network.manager
        let task = Task { for try await _ in manager.pathChanges {} }
        task.cancel()
        try await task.value
        #expect(!manager.isMonitoring)
    }

    @Test("An iteration over paths keeps its manager alive, and closes its monitor at the end")
    func lifetime() async throws {
        let closed = Recorder<Bool>()
        let options = MonitorOptions(etcRoot: "", onClose: { closed.record(true) })
        weak var manager: NetworkReachabilityManager?
        var iterator: ReachabilityUpdates<ReachabilitySnapshot, ReachabilityError>.Iterator?
        do {
            let own = try NetworkReachabilityManager(
                target: .address("127.0.0.1"), options: options)
            manager = own
            iterator = own.pathChanges.makeAsyncIterator()
        }
        #expect(manager != nil && iterator != nil)
        iterator = nil
        #expect(manager == nil)
        #expect(await closed.next() == true)
    }

    @Test("A sleep ends early with a new path, and otherwise after its time")
    func sleep() async throws {
        let network = try SimulatedReachability()
        let manager = network.manager
        #expect(try await !manager.sleep(for: .milliseconds(1)))
        let isOver = Mutex(false)
        let early = Task {
            defer { isOver.withLock { $0 = true } }
            return try await manager.sleep(for: .seconds(3600))
        }
        // The sleep may begin in either state.
        while !isOver.withLock({ $0 }) {
            network.setOffline()
            network.setOnline()
            await Task.yield()
        }
        #expect(try await early.value)
        #expect(try await !manager.sleep(for: .milliseconds(1)))
        let cancelled = Task { try await manager.sleep(for: .seconds(3600)) }
        cancelled.cancel()
        let error = await #expect(throws: ReachabilityError.self) { try await cancelled.value }
        #expect(error?.code == .cancelled)
    }

    @Test("Where changes can't be watched, a sleep lasts for its time")
    func unwatched() async throws {
        let network = try SimulatedReachability()
        network.setStartError(ReachabilityError(.watchingUnsupported, "no groups"))
        #expect(try await !network.manager.sleep(for: .milliseconds(20)))
        let manager = network.manager
        let cancelled = Task { try await manager.sleep(for: .seconds(3600)) }
        cancelled.cancel()
        let error = await #expect(throws: ReachabilityError.self) { try await cancelled.value }
        #expect(error?.code == .cancelled)
    }
}
