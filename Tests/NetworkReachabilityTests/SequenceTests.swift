// SPDX-License-Identifier: MIT

import Synchronization
import Testing

@testable import NetworkReachability

@Suite("Sequences", .timeLimit(.minutes(10)))
struct SequenceTests {
    let manager = NetworkReachabilityManager()

    @Test("Each iteration of a sequence begins with the current value")
    func first() async throws {
        let feed = try Feed(manager)
        await feed.send(.reachable)
        let sequence = manager.snapshots
        var (one, two) = (sequence.makeAsyncIterator(), sequence.makeAsyncIterator())
        var statuses = manager.statuses.makeAsyncIterator()
        #expect(try await one.next()?.flags == .reachable)
        #expect(try await two.next()?.flags == .reachable)
        #expect(try await statuses.next() == .reachableViaWiFi)
    }

    @Test("A slow consumer ends up with the latest value")
    func latest() async throws {
        let feed = try Feed(manager)
        var snapshots = manager.snapshots.makeAsyncIterator()
        for _ in 0..<1000 { await feed.send([]) }
        await feed.send(.wwan)
        #expect(try await snapshots.next()?.flags == .wwan)
        await feed.send(.reachable)
        #expect(try await snapshots.next()?.flags == .reachable)
    }

    @Test("`statuses` never repeats a status, not even when values were skipped")
    func dedupe() async throws {
        let feed = try Feed(manager)
        await feed.send(.reachable)
        var statuses = manager.statuses.makeAsyncIterator()
        #expect(try await statuses.next() == .reachableViaWiFi)
        await feed.send([])
        await feed.send([.reachable, .isDirect])
        manager.stopMonitoring()
        #expect(try await statuses.next() == nil)
    }

    @Test("stopMonitoring() ends an iteration")
    func stop() async throws {
        let feed = try Feed(manager)
        await feed.send(.reachable)
        let seen = Recorder<ReachabilityFlags>()
        let task = Task { [manager] in
            for try await snapshot in manager.snapshots { seen.record(snapshot.flags) }
        }
        #expect(await seen.first { _ in true } == .reachable)
        manager.stopMonitoring()
        try await task.value
        #expect(seen.values == [.reachable])
    }

    @Test("Cancellation ends an iteration, but not monitoring that was started explicitly")
    func cancellation() async throws {
        let feed = try Feed(manager)
        await feed.send(.reachable)
        let seen = Recorder<NetworkReachabilityStatus>()
        let task = Task { [manager] in
            for try await status in manager.statuses { seen.record(status) }
        }
        #expect(await seen.first { _ in true } == .reachableViaWiFi)
        task.cancel()
        try await task.value
        await feed.send(.wwan)
        #expect(manager.isMonitoring && manager.flags == .wwan)
    }

    @Test("A task on an executor that runs jobs at once may use its manager between values")
    func inlineExecutor() async throws {
        let feed = try Feed(manager)
        let seen = Recorder<ReachabilityFlags>()
        let task = Task(executorPreference: InlineExecutor.shared) { [manager] in
            for try await snapshot in manager.snapshots {
                seen.record(snapshot.flags == manager.flags ? snapshot.flags : [])
                manager.addListener { _ in }.cancel()
                if snapshot.flags == .wwan { manager.stopMonitoring() }
            }
        }
        for flags: ReachabilityFlags in [.reachable, .wwan] {
            await feed.send(flags)
            #expect(await seen.next() == flags)
        }
        try await task.value
        #expect(!manager.isMonitoring)
    }

    @Test("Cancelling iterations while values arrive does not stop the manager")
    func cancelling() async throws {
        let feed = try Feed(manager)
        let sending = Task {
            var isReachable = false
            while !Task.isCancelled {
                isReachable.toggle()
                await feed.send(isReachable ? .reachable : [])
            }
        }
        for number in 0..<2000 {
            let task = Task { [manager] in for try await _ in manager.snapshots {} }
            if number % 2 == 0 { await Task.yield() }
            task.cancel()
            _ = await task.result
        }
        sending.cancel()
        await sending.value
        #expect(manager.isMonitoring)
    }

    @Test("An iteration that begins while a value arrives gets the latest value")
    func latestAfterBegin() async throws {
        let feed = try Feed(manager)
        await feed.send([])
        for number in 1...500 {
            let flags = ReachabilityFlags(rawValue: UInt32(number))
            let sending = Task { await feed.send(flags) }
            var snapshots = manager.snapshots.makeAsyncIterator()
            await sending.value
            // Waits until all pending values have arrived.
            await inLoop()
            #expect(try await snapshots.next()?.flags == flags)
        }
    }
}
