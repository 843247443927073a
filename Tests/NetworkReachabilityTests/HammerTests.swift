// SPDX-License-Identifier: MIT

import Dispatch
import Foundation
import Observation
import Synchronization
import Testing

@testable import NetworkReachability

/// Everything at once: managers come, start, stop and go on eight threads, and whoever is told about them
/// comes and goes too, while the network changes.
///
/// `REACH_HAMMER_SECONDS` in the environment says how long.
@Suite("Under the hammer", .enabled(if: Namespace.isAvailable, "needs network namespaces"))
struct HammerTests {
    private static let workers = 8
    private static let patience = 120
    private static let seconds =
        ProcessInfo.processInfo.environment["REACH_HAMMER_SECONDS"].flatMap(Double.init) ?? 3

    @Test("nobody ever stands still, and in the end a change is told")
    func everything() async throws {
        let bench = try Bench()
        let watchdog = Watchdog(workers: Self.workers + 2, patience: Self.patience)
        let deadline = monotonicSeconds() + Self.seconds
        await withTaskGroup { group in
            for worker in 0..<Self.workers {
                group.addTask {
                    await onThread {
                        var hand = Hand(bench, seed: UInt64(worker + 1))
                        while monotonicSeconds() < deadline {
                            hand.act()
                            watchdog.step(worker)
                        }
                        hand.end()
                        watchdog.leave(worker)
                    }
                }
            }
            group.addTask {
                await onThread {
                    while monotonicSeconds() < deadline {
                        bench.changeNetwork()
                        watchdog.step(Self.workers)
                    }
                    watchdog.leave(Self.workers)
                }
            }
            group.addTask {
                while monotonicSeconds() < deadline {
                    await bench.fed.send([])
                    await bench.fed.send(.reachable)
                    watchdog.step(Self.workers + 1)
                }
                watchdog.leave(Self.workers + 1)
            }
        }
        bench.end()
        // Looks at this one again.
        watchdog.step(0)
        await bench.tellsAChange()
        watchdog.end()
    }
}

/// What all hands work at.
private final class Bench: Sendable {
    static let size = 12
    let namespace: Namespace
    let queues: [DispatchQueue] = [.test("a"), .test("b"), .global()]
    let options = MonitorOptions(etcRoot: "")
    /// Changes much faster than a network can.
    let fed: Feed
    private let managers: Mutex<[NetworkReachabilityManager?]>

    init() throws {
        namespace = try Namespace()
        fed = try Feed(NetworkReachabilityManager())
        managers = Mutex(Array(repeating: nil, count: Self.size))
        for place in 0..<Self.size { replace(place) }
    }

    func manager() -> NetworkReachabilityManager? {
        try? NetworkReachabilityManager(
            target: .address("192.0.2.1").with(namespace: .path(namespace.path)), options: options)
    }

    subscript(place: Int) -> NetworkReachabilityManager? {
        managers.withLock { $0[place] }
    }

    /// Puts a new manager in the place of one, which may go away then.
    func replace(_ place: Int) {
        let new = manager()
        let old = managers.withLock { managers in
            defer { managers[place] = new }
            return managers[place]
        }
        withExtendedLifetime(old) {}
    }

    /// Gives the address and takes it away, many times.
    func changeNetwork() {
        let change = ["addr add 192.0.2.1/32 dev lo", "addr del 192.0.2.1/32 dev lo"]
        try? namespace.batch((0..<100).map { change[$0 % 2] })
    }

    func end() {
        for manager in managers.withLock({ $0 }) { manager?.stopMonitoring() }
    }

    /// A new manager learns of a change, so the library still lives.
    func tellsAChange() async {
        guard let manager = manager() else { return }
        let told = Recorder<NetworkReachabilityStatus>()
        manager.addStatusListener(queue: queues[0]) { told.record($0) }
        try? manager.startMonitoring()
        #expect(await told.next() == .notReachable)
        #expect(throws: Never.self) { try namespace.ip("addr add 192.0.2.1/32 dev lo") }
        #expect(await told.next() == .reachableViaWiFi)
    }
}

/// Something of the user's, which calls into the library when it is let go of.
private final class Owned: Sendable {
    private struct Manager {
        weak var object: NetworkReachabilityManager?
    }

    private let manager: Manager
    private let task = Mutex<Task<Void, Never>?>(nil)

    init(_ manager: NetworkReachabilityManager, _ task: Task<Void, Never>?) {
        self.manager = Manager(object: manager)
        self.task.withLock { $0 = task }
    }

    deinit {
        manager.object?.stopMonitoring()
        task.withLock { $0 }?.cancel()
    }
}

/// What one thread does, at random.
private struct Hand {
    private let bench: Bench
    private var random: SplitMix
    private var tasks: [Task<Void, Never>] = []
    private var listeners: [ReachabilityListener] = []
    private var observations: [ReachabilityObservation] = []

    init(_ bench: Bench, seed: UInt64) {
        self.bench = bench
        random = SplitMix(state: seed)
    }

    mutating func act() {
        let place = random.below(Bench.size)
        if random.below(16) == 0 { waitForLoop() }
        guard let manager = bench[place] else { return bench.replace(place) }
        use(manager, at: place)
    }

    private mutating func use(_ manager: NetworkReachabilityManager, at place: Int) {
        let queue = bench.queues[random.below(bench.queues.count)]
        switch random.below(64) {
        case 0...7: try? manager.startMonitoring()
        case 8: manager.stopMonitoring()
        case 9: bench.replace(place)
        case 10: setBlock(of: manager, queue)
        case 11, 12: addListener(to: manager, queue)
        case 13, 14: observe(manager, queue)
        case 15: track(manager)
        case 16...27: iterate(manager)
        case 28...38: iterate(bench.fed.manager)
        case 39...61: cancelOne()
        default: _ = try? manager.currentSnapshot()
        }
    }

    /// Iterations are not begun faster than they can end.
    private func waitForLoop() {
        let isThrough = DispatchSemaphore(value: 0)
        MonitorLoop.perform { [.here { isThrough.signal() }] }
        isThrough.wait()
    }

    mutating func end() {
        for task in tasks { task.cancel() }
        for listener in listeners { listener.cancel() }
        observations = []
    }

    private mutating func setBlock(of manager: NetworkReachabilityManager, _ queue: DispatchQueue) {
        guard random.below(4) != 0 else { return manager.setReachabilityStatusChangeBlock(nil) }
        let owned = Owned(manager, tasks.randomElement(using: &random))
        manager.setReachabilityStatusChangeBlock(queue: queue) { _ in
            withExtendedLifetime(owned) {}
        }
    }

    private mutating func addListener(
        to manager: NetworkReachabilityManager, _ queue: DispatchQueue
    ) {
        let stops = random.below(4) == 0
        let owned = Owned(manager, tasks.randomElement(using: &random))
        let time = Duration.microseconds(max(0, random.below(2000) - 1000))
        let listener = manager.addListener(queue: queue, stable: time) { [weak manager] _ in
            if stops { manager?.stopMonitoring() }
            withExtendedLifetime(owned) {}
        }
        listeners.append(listener)
        if listeners.count > 16 { listeners.removeFirst().cancel() }
    }

    private mutating func observe(_ manager: NetworkReachabilityManager, _ queue: DispatchQueue) {
        let observation = manager.observe(
            \.isReachable, options: [.initial, .prior, .old, .new], queue: queue
        ) { manager, _ in _ = manager.snapshot }
        observations.append(observation)
        if observations.count > 8 { observations.removeFirst().invalidate() }
    }

    private func track(_ manager: NetworkReachabilityManager) {
        withObservationTracking {
            _ = manager.isReachable
        } onChange: { [weak manager] in
            manager?.stopMonitoring()
        }
    }

    private mutating func iterate(_ manager: NetworkReachabilityManager) {
        let isGroup = random.below(3) == 0
        // In a group such an executor ends the process inside Swift 6.3: "pthread_mutex_destroy(&handle)
        // failed with error 16".
        let executor = !isGroup && random.below(2) == 0 ? InlineExecutor.shared : nil
        let time = Duration.microseconds(max(0, random.below(2000) - 1000))
        tasks.append(
            Task(executorPreference: executor) {
                guard isGroup else { return await readStatuses(manager, stable: time) }
                await withTaskGroup { group in
                    for _ in 0..<3 { group.addTask { await readSnapshots(manager) } }
                    group.addTask { await readStatuses(manager, stable: time) }
                    group.addTask {
                        _ = try? await manager.waitUntilReachable(
                            timeout: .milliseconds(20), stable: time)
                    }
                    await group.next()
                    group.cancelAll()
                }
            })
        if tasks.count > 12 { cancelOne() }
    }

    private mutating func cancelOne() {
        guard !tasks.isEmpty else { return }
        tasks.remove(at: random.below(tasks.count)).cancel()
    }
}

private func readSnapshots(_ manager: NetworkReachabilityManager) async {
    do {
        for try await snapshot in manager.snapshots where snapshot.error != nil { return }
    } catch {}
}

private func readStatuses(_ manager: NetworkReachabilityManager, stable time: Duration) async {
    do {
        for try await status in manager.statuses.stable(for: time) where status == .unknown {
            return
        }
    } catch {}
}

/// Runs each job where it is handed in.
final class InlineExecutor: TaskExecutor {
    static let shared = InlineExecutor()

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        unsafe job.runSynchronously(on: asUnownedTaskExecutor())
    }
}

/// Runs `body` on a thread of its own.
func onThread(_ body: @escaping @Sendable () -> Void) async {
    await withCheckedContinuation { continuation in
        Thread.detachNewThread {
            body()
            continuation.resume()
        }
    }
}

/// Vigna's splitmix64: the same numbers in each run.
private struct SplitMix: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var mixed = (state ^ state >> 30) &* 0xbf58_476d_1ce4_e5b9
        mixed = (mixed ^ mixed >> 27) &* 0x94d0_49bb_1331_11eb
        return mixed ^ mixed >> 31
    }

    mutating func below(_ bound: Int) -> Int {
        Int(next() % UInt64(bound))
    }
}
