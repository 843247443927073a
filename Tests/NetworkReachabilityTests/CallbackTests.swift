// SPDX-License-Identifier: MIT

import Dispatch
import Synchronization
import Testing

@testable import NetworkReachability

@Suite("Callbacks", .timeLimit(.minutes(10)))
struct CallbackTests {
    let manager = NetworkReachabilityManager()
    let queue = DispatchQueue.test()

    /// Whether the loop's thread makes the call, or a thread of the queue.
    static let ways = [true, false]

    @Test(
        "Status callbacks get the first value and then each different status, in order",
        arguments: ways)
    func dedupe(isAlone: Bool) async throws {
        let recorder = Recorder<NetworkReachabilityStatus>()
        manager.setReachabilityStatusChangeBlock(queue: queue) { recorder.record($0) }
        let feed = try Feed(manager, isAlone: isAlone)
        for flags: ReachabilityFlags in [[], [], .reachable, [.reachable, .isDirect], .wwan, []] {
            await feed.send(flags)
        }
        await perform(on: queue)
        #expect(
            recorder.values == [.notReachable, .reachableViaWiFi, .reachableViaWWAN, .notReachable])
    }

    @Test(
        "The block is called first, then listeners by age, then observers, whichever was added first",
        arguments: ways)
    func order(isAlone: Bool) async throws {
        let told = Recorder<String>()
        let observation = manager.observe(\.flags, queue: queue) { _, _ in told.record("observer") }
        for number in 1...2 {
            manager.addListener(queue: queue) { _ in told.record("listener \(number)") }
        }
        manager.setReachabilityStatusChangeBlock(queue: queue) { _ in told.record("block") }
        let feed = try Feed(manager, isAlone: isAlone)
        await feed.send(.reachable)
        await perform(on: queue)
        #expect(told.values == ["block", "listener 1", "listener 2", "observer"])
        observation.invalidate()
    }

    /// A closure that is stored behind a generic type is wrapped each time it is taken out again.
    ///
    /// The chain of wrappers would grow without end, on the heap and on the stack.
    @Test("The stack of the hundredth call is about as deep as that of the first", arguments: ways)
    func depth(isAlone: Bool) async throws {
        let recorder = Recorder<Int>()
        let observed = Recorder<Int>()
        manager.addListener(queue: queue) { _ in recorder.record(callDepth()) }
        let observation = manager.observe(\.snapshot, queue: queue) { _, _ in
            observed.record(callDepth())
        }
        let feed = try Feed(manager, isAlone: isAlone)
        for number in 0..<100 { await feed.send(number % 2 == 0 ? .reachable : .wwan) }
        await perform(on: queue)
        for depths in [recorder.values, observed.values] {
            #expect(depths.count == 100)
            let first = try #require(depths.first)
            let last = try #require(depths.last)
            // The queue's thread may have reached the call by another path.
            #expect(last - first < 20)
        }
        observation.invalidate()
    }

    @Test("Status, flags, and snapshot change together")
    func together() async throws {
        let torn = Mutex(0)
        let feed = try Feed(manager)
        let reader = Task.detached { [manager] in
            while !Task.isCancelled {
                let snapshot = manager.snapshot
                if snapshot.status != .unknown, snapshot.status != snapshot.flags.status {
                    torn.withLock { $0 += 1 }
                }
                // Other tests may occupy all other threads of the pool.
                await Task.yield()
            }
        }
        for _ in 0..<200 {
            await feed.send(.wwan)
            #expect(manager.isReachableViaWWAN && manager.flags == .wwan)
            await feed.send(.reachable)
            #expect(manager.isReachableViaWiFi && manager.flags == .reachable)
        }
        reader.cancel()
        await reader.value
        #expect(torn.withLock { $0 } == 0)
    }

    @Test("A second block replaces the first, which is not called again", arguments: ways)
    func replaces(isAlone: Bool) async throws {
        let first = Recorder<NetworkReachabilityStatus>()
        let second = Recorder<NetworkReachabilityStatus>()
        manager.setReachabilityStatusChangeBlock(queue: queue) { first.record($0) }
        let feed = try Feed(manager, isAlone: isAlone)
        await feed.send(.reachable)
        await perform(on: queue)
        manager.setReachabilityStatusChangeBlock(queue: queue) { second.record($0) }
        await feed.send([])
        manager.setReachabilityStatusChangeBlock(nil)
        await feed.send(.wwan)
        await perform(on: queue)
        #expect(first.values == [.reachableViaWiFi])
        // These values may have been pending when the block was removed.
        #expect(
            second.values.starts(
                with: [.reachableViaWiFi, .notReachable].prefix(second.values.count)))
        #expect(!second.values.contains(.reachableViaWWAN))
    }

    @Test(
        "A second listener is called beside the first, and gets the current value when it is added",
        arguments: ways)
    func addUp(isAlone: Bool) async throws {
        let recorder = Recorder<String>()
        manager.addListener(queue: queue) { recorder.record("a \($0.status)") }
        let feed = try Feed(manager, isAlone: isAlone)
        await feed.send(.reachable)
        manager.addStatusListener(queue: queue) { recorder.record("b \($0)") }
        await feed.send(.wwan)
        await perform(on: queue)
        #expect(
            recorder.values == [
                "a reachableViaWiFi", "b reachableViaWiFi", "a reachableViaWWAN",
                "b reachableViaWWAN",
            ])
    }

    @Test("A cancelled listener is not called again, not even for a pending value")
    func cancels() async throws {
        let recorder = Recorder<NetworkReachabilityStatus>()
        let listener = manager.addStatusListener(queue: queue) { recorder.record($0) }
        let feed = try Feed(manager)
        queue.suspend()
        await feed.send(.reachable)
        listener.cancel()
        listener.cancel()
        queue.resume()
        await feed.send(.wwan)
        await perform(on: queue)
        #expect(recorder.values.isEmpty)
        #expect(manager.state.withLock { $0.subscribers.isEmpty })
    }

    @Test("Cancelling releases a closure that holds its own listener or observation")
    func cycles() async throws {
        let held = Mutex<[any AnyObject & Sendable]>([])
        weak var gone: Recorder<Int>?
        do {
            let recorder = Recorder<Int>()
            gone = recorder
            let listener = manager.addListener(queue: queue) { _ in
                held.withLock { recorder.record($0.count) }
            }
            let observation = manager.observe(\.isReachable, queue: queue) { _, _ in
                held.withLock { recorder.record($0.count) }
            }
            held.withLock { $0 = [listener, observation] }
            listener.cancel()
            observation.invalidate()
        }
        await inLoop()
        #expect(gone == nil)
        #expect(held.withLock { $0.count } == 2)
    }

    @Test("After stopMonitoring() on the callbacks' queue, no callback is called", arguments: ways)
    func stops(isAlone: Bool) async throws {
        let recorder = Recorder<NetworkReachabilityStatus>()
        manager.setReachabilityStatusChangeBlock(queue: queue) { recorder.record($0) }
        manager.addStatusListener(queue: queue) { recorder.record($0) }
        let feed = try Feed(manager, isAlone: isAlone)
        await feed.send([])
        await perform(on: queue)
        let seen = recorder.values
        await perform(on: queue) { [manager] in manager.stopMonitoring() }
        await feed.send(.reachable)
        await feed.send(.wwan)
        await perform(on: queue)
        #expect(seen == [.notReachable, .notReachable] && recorder.values == seen)
        #expect(!manager.isMonitoring && manager.networkReachabilityStatus == .notReachable)
    }

    @Test("stopMonitoring() on the callbacks' queue drops pending values")
    func stopsInFlight() async throws {
        let recorder = Recorder<NetworkReachabilityStatus>()
        let feed = try Feed(manager)
        queue.suspend()
        queue.async { [manager] in manager.stopMonitoring() }
        manager.addStatusListener(queue: queue) { recorder.record($0) }
        await feed.send(.reachable)
        queue.resume()
        await perform(on: queue)
        #expect(recorder.values.isEmpty && manager.networkReachabilityStatus == .reachableViaWiFi)
    }

    @Test("After a restart the current state is delivered again", arguments: ways)
    func restarts(isAlone: Bool) async throws {
        let recorder = Recorder<NetworkReachabilityStatus>()
        manager.setReachabilityStatusChangeBlock(queue: queue) { recorder.record($0) }
        for _ in 0..<3 {
            let feed = try Feed(manager, isAlone: isAlone)
            await feed.send(.reachable)
            await perform(on: queue)
            manager.stopMonitoring()
        }
        #expect(recorder.values == Array(repeating: .reachableViaWiFi, count: 3))
    }

    @Test("After a restart, values of the stopped session are ignored")
    func oldSession() async throws {
        let old = try Feed(manager)
        await old.send(.reachable)
        manager.stopMonitoring()
        let new = try Feed(manager)
        await new.send([])
        await old.send(.wwan)
        #expect(manager.networkReachabilityStatus == .notReachable)
    }

    @Test("A callback may stop its manager, cancel its listener, and set a block", arguments: ways)
    func reentrancy(isAlone: Bool) async throws {
        let recorder = Recorder<NetworkReachabilityStatus>()
        let listener = Mutex<ReachabilityListener?>(nil)
        let feed = try Feed(manager, isAlone: isAlone)
        let token = manager.addStatusListener(queue: queue) { [weak manager, queue] status in
            listener.withLock { $0 }?.cancel()
            manager?.setReachabilityStatusChangeBlock(queue: queue) { recorder.record($0) }
            manager?.stopMonitoring()
            recorder.record(status)
        }
        listener.withLock { $0 = token }
        await feed.send(.reachable)
        await feed.send(.wwan)
        await perform(on: queue)
        await perform(on: queue)
        #expect(recorder.values == [.reachableViaWiFi] || recorder.values == [.reachableViaWWAN])
        #expect(!manager.isMonitoring)
    }

    @Test("A callback may release the last reference to its manager", arguments: ways)
    func releases(isAlone: Bool) async throws {
        let owner = Mutex<NetworkReachabilityManager?>(NetworkReachabilityManager())
        let recorder = Recorder<NetworkReachabilityStatus>()
        weak var gone: NetworkReachabilityManager?
        gone = owner.withLock { $0 }
        let session: MonitoringSession
        do {
            let manager = try #require(owner.withLock { $0 })
            manager.addStatusListener(queue: queue) { status in
                recorder.record(status)
                owner.withLock { $0.take() }?.stopMonitoring()
            }
            session = try Feed(manager, isAlone: isAlone).session
        }
        await session.take(ReachabilitySnapshot(flags: .reachable), isAlone: isAlone)
        await perform(on: queue)
        #expect(recorder.values == [.reachableViaWiFi] && gone == nil)
    }

    @Test("A released manager calls no callback, and its session ends", arguments: ways)
    func goesAway(isAlone: Bool) async throws {
        let recorder = Recorder<NetworkReachabilityStatus>()
        let session: MonitoringSession
        do {
            let manager = NetworkReachabilityManager()
            manager.addStatusListener(queue: queue) { recorder.record($0) }
            session = try Feed(manager, isAlone: isAlone).session
        }
        await session.take(ReachabilitySnapshot(flags: .reachable), isAlone: isAlone)
        await perform(on: queue)
        #expect(recorder.values.isEmpty && session.isEnded)
    }

    @Test("A block without a queue is called on the main queue")
    func mainQueue() async throws {
        let recorder = Recorder<Bool>()
        manager.setReachabilityStatusChangeBlock { _ in
            dispatchPrecondition(condition: .onQueue(.main))
            recorder.record(true)
        }
        let feed = try Feed(manager)
        await feed.send(.reachable)
        #expect(await recorder.first { $0 } == true)
    }

    @Test(
        "A failure of the monitor reports the status unknown once, and the manager can start again"
    )
    func failure() async throws {
        let recorder = Recorder<NetworkReachabilityStatus>()
        manager.setReachabilityStatusChangeBlock(queue: queue) { recorder.record($0) }
        let feed = try Feed(manager)
        await feed.send(.reachable)
        await feed.fail(.outOfMemory)
        await perform(on: queue)
        #expect(!manager.isMonitoring && manager.snapshot.error == .outOfMemory)
        let late = Recorder<NetworkReachabilityStatus>()
        manager.addStatusListener(queue: queue) { late.record($0) }
        await perform(on: queue)
        #expect(late.values.isEmpty)
        let again = try Feed(manager)
        await again.send(.reachable)
        await perform(on: queue)
        #expect(recorder.values == [.reachableViaWiFi, .unknown, .reachableViaWiFi])
    }
}
