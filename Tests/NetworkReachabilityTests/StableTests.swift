// SPDX-License-Identifier: MIT

import Dispatch
import Foundation
import NetworkReachabilityTesting
import Synchronization
import Testing

@testable import NetworkReachability

@Suite("Stable values", .timeLimit(.minutes(10)))
struct StableTests {
    /// Timers that expire when a test says so.
    private final class Timers: Sendable {
        private struct State {
            var started: [@Sendable () -> Void] = []
            var stopped: Set<Int> = []
        }

        private let state = Mutex(State())

        var running: [Int] {
            state.withLock { state in state.started.indices.filter { !state.stopped.contains($0) } }
        }

        func start(_ expire: @escaping @Sendable () -> Void) -> @Sendable () -> Void {
            let number = state.withLock { state in
                state.started.append(expire)
                return state.started.count - 1
            }
            return { self.state.withLock { _ = $0.stopped.insert(number) } }
        }

        /// Expires a timer, even a stopped one: a real timer may expire while it is being stopped.
        func expire(_ number: Int) {
            state.withLock { $0.started[number] }()
        }
    }

    private let timers = Timers()
    private let passed = Recorder<String>()

    /// A stabilizer of strings, where the same first letter makes a string a repetition.
    private func stabilizer(after first: String? = nil) -> Stabilizer<String> {
        let isRepetition: @Sendable (String, String) -> Bool = { $0.first == $1.first }
        return Stabilizer(after: first, isRepetition: isRepetition, passed.record) { [timers] in
            timers.start($0)
        }
    }

    @Test("The first value is passed on at once, and later ones when their timer expires")
    func order() {
        let stabilizer = stabilizer()
        stabilizer.take("a")
        #expect(passed.values == ["a"] && timers.running == [])
        stabilizer.take("b")
        #expect(passed.values == ["a"] && timers.running == [0])
        timers.expire(0)
        #expect(passed.values == ["a", "b"])
    }

    @Test("A value that is undone is not passed on, even if its timer expires at that moment")
    func undone() {
        let stabilizer = stabilizer()
        for value in ["a", "b", "a2"] { stabilizer.take(value) }
        #expect(timers.running == [])
        timers.expire(0)
        #expect(passed.values == ["a"])
        // A different value gets a timer of its own.
        for value in ["b", "c"] { stabilizer.take(value) }
        #expect(timers.running == [2])
        timers.expire(1)
        #expect(passed.values == ["a"])
        timers.expire(2)
        #expect(passed.values == ["a", "c"])
    }

    @Test("A repetition replaces the pending value and does not restart its timer")
    func newest() {
        let stabilizer = stabilizer(after: "a")
        for value in ["b", "b2", "b3"] { stabilizer.take(value) }
        #expect(timers.running == [0])
        timers.expire(0)
        #expect(passed.values == ["b3"])
    }

    @Test("After a reset, the next value is passed on at once")
    func reset() {
        let stabilizer = stabilizer()
        for value in ["a", "b"] { stabilizer.take(value) }
        stabilizer.reset()
        #expect(timers.running == [])
        timers.expire(0)
        stabilizer.take("a")
        #expect(passed.values == ["a", "a"])
    }

    @Test("Releasing a stabilizer stops its timer")
    func released() {
        do {
            let stabilizer = stabilizer()
            for value in ["a", "b"] { stabilizer.take(value) }
            #expect(timers.running == [0])
        }
        #expect(timers.running == [])
        timers.expire(0)
        #expect(passed.values == ["a"])
    }

    @Test("A time that is too long for a timer never passes, and a negative time is zero")
    func times() {
        #expect(Duration.seconds(-1).dispatchInterval == .nanoseconds(0))
        #expect(Duration.seconds(Int64.max).nanoseconds == .max)
        // The last whole second whose nanoseconds fit into Int64, then longer times.
        let last = Duration.seconds(9_223_372_036)
        #expect(last.dispatchInterval == .nanoseconds(9_223_372_036_000_000_000))
        for time in [last + .seconds(1), .seconds(Int64.max)] {
            #expect(time.dispatchInterval == .never)
        }
    }

    // MARK: Managers

    @Test("A listener gets the current value at once, and a change once it is stable")
    func listeners() async throws {
        let network = try SimulatedReachability()
        let queue = DispatchQueue.test()
        let (short, long) = (Recorder<NetworkReachabilityStatus>(), Recorder<String>())
        network.setOnline(over: .wifi)
        network.manager.addStatusListener(queue: queue, stable: .milliseconds(1)) {
            short.record($0)
        }
        let listener = network.manager.addListener(queue: queue, stable: .seconds(86_400)) {
            long.record($0.interface?.name ?? "none")
        }
        try network.manager.startMonitoring()
        #expect(await short.next() == .reachableViaWiFi)
        network.setOffline()
        #expect(await short.next() == .notReachable)
        network.setOnline(over: .cellular)
        #expect(await short.next() == .reachableViaWWAN)
        await network.flush()
        #expect(long.values == ["wlan0"])
        // A new session begins with the current value.
        network.manager.stopMonitoring()
        try network.manager.startMonitoring()
        #expect(await long.first { $0 == "wwan0" } != nil)
        #expect(long.values == ["wlan0", "wwan0"])
        listener.cancel()
    }

    @Test("Stopping the manager or cancelling the listener discards a pending value")
    func stopped() async throws {
        let network = try SimulatedReachability()
        let (queue, told) = (DispatchQueue.test(), Recorder<NetworkReachabilityStatus>())
        network.setOnline(over: .wifi)
        let listener = network.manager.addStatusListener(queue: queue, stable: .milliseconds(1)) {
            told.record($0)
        }
        for stop in [network.manager.stopMonitoring, listener.cancel] {
            try network.manager.startMonitoring()
            _ = await told.next()
            // The queue is suspended while the stable time passes.
            queue.suspend()
            network.setOffline()
            try await Task.sleep(for: .milliseconds(20))
            stop()
            queue.resume()
            await network.flush()
            #expect(told.values.allSatisfy { $0 == .reachableViaWiFi })
            network.setOnline(over: .wifi)
        }
        #expect(told.values.count == 2)
    }

    @Test(
        "A stable sequence yields the current value, then stable ones, and ends or throws with its source"
    )
    func sequences() async throws {
        let network = try SimulatedReachability()
        network.setOnline(over: .wifi)
        var statuses = network.manager.statuses.stable(for: .milliseconds(1)).makeAsyncIterator()
        var slow = network.manager.statuses.stable(for: .seconds(86_400)).makeAsyncIterator()
        #expect(try await statuses.next() == .reachableViaWiFi)
        #expect(try await slow.next() == .reachableViaWiFi)
        network.setOffline()
        #expect(try await statuses.next() == .notReachable)
        network.setOnline(over: .wifi)
        #expect(try await statuses.next() == .reachableViaWiFi)
        network.manager.stopMonitoring()
        #expect(try await statuses.next() == nil)
        #expect(try await slow.next() == nil)
        let wrong = ReachabilityTarget.internet.with(namespace: .path("/none"))
        let none = try NetworkReachabilityManager(target: wrong)
        var failing = none.statuses.stable(for: .milliseconds(1)).makeAsyncIterator()
        await #expect(throws: ReachabilityError.self) { try await failing.next() }
    }

    @Test("Releasing or cancelling an iteration stops the monitoring behind it")
    func abandoned() async throws {
        let network = try SimulatedReachability()
        network.setOnline(over: .wifi)
        do {
            var statuses = network.manager.statuses.stable(for: .seconds(1)).makeAsyncIterator()
            #expect(try await statuses.next() == .reachableViaWiFi)
            #expect(network.manager.isMonitoring)
        }
        while network.manager.isMonitoring { try await Task.sleep(for: .milliseconds(1)) }
        let task = Task { [manager = network.manager] in
            for try await _ in manager.statuses.stable(for: .seconds(1)) {}
        }
        while !network.manager.isMonitoring { try await Task.sleep(for: .milliseconds(1)) }
        task.cancel()
        try await task.value
        while network.manager.isMonitoring { try await Task.sleep(for: .milliseconds(1)) }
    }

    @Test("A wait ends only when its condition has held for the whole stable time")
    func waits() async throws {
        let network = try SimulatedReachability()
        network.setOnline(over: .wifi)
        let snapshot = try await network.manager.waitUntilReachable(stable: .milliseconds(1))
        #expect(snapshot.interface?.name == "wlan0")
        let late = await #expect(throws: ReachabilityError.self) {
            try await network.manager.waitUntilReachable(
                timeout: .milliseconds(10), stable: .seconds(86_400))
        }
        #expect(late?.code == .timedOut)
        let waiter = Waiter<Int>(.internet, stable: .seconds(86_400)) { $0 > 0 }
        for value in [1, 2, 0, 3] { waiter.take(value) }
        let early = await #expect(throws: ReachabilityError.self) {
            try await waiter.value(timeout: .zero)
        }
        #expect(early?.code == .timedOut)
        let lasting = Waiter<Int>(.internet, stable: .milliseconds(1)) { $0 > 0 }
        for value in [0, 2, 3] { lasting.take(value) }
        #expect(try await lasting.value() >= 2)
    }
}

@Suite("Delivery of the newest value on a queue", .timeLimit(.minutes(10)))
struct NewestCallTests {
    @Test("Calls don't overlap and end with the newest value, even on a concurrent queue")
    func concurrent() async {
        let queue = DispatchQueue(label: "concurrent", attributes: .concurrent)
        let last = 100
        let (told, overlaps, begun) = (Recorder<Int>(), Recorder<Int>(), Recorder<Int>())
        let running = Mutex(0)
        let call = NewestCall<Int>(queue: queue) { value in
            let others = running.withLock { running in
                defer { running += 1 }
                return running
            }
            if others > 0 { overlaps.record(value) }
            begun.record(value)
            // The next value is submitted meanwhile.
            Thread.sleep(forTimeInterval: 0.001)
            told.record(value)
            running.withLock { $0 -= 1 }
        }
        for value in 1...last {
            call.submit(value)
            _ = await begun.first { $0 == value }
        }
        #expect(await told.first { $0 == last } != nil)
        #expect(overlaps.values == [] && told.values == told.values.sorted())
    }

    @Test("A value submitted during a call is delivered after that call")
    func reentrant() async {
        let told = Recorder<Int>()
        let other = Mutex<NewestCall<Int>?>(nil)
        let call = NewestCall<Int>(queue: .test()) { value in
            if value < 3 { other.withLock { $0 }?.submit(value + 1) }
            told.record(value)
        }
        other.withLock { $0 = call }
        call.submit(1)
        #expect(await told.first { $0 == 3 } != nil)
        #expect(told.values == [1, 2, 3])
        other.withLock { $0 = nil }
    }
}
