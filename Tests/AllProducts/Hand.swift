// SPDX-License-Identifier: MIT
import NetworkReachabilityTesting
import SwiftTestSupport
import Synchronization

/// The use of one product, by all threads at once.
protocol Product: Sendable {
    var name: String { get }

    /// Performs a random operation.
    func act(_ hand: inout Hand) throws

    /// Calls `heard` with whether the network is available, at first and after each change, until
    /// the returned closure is called.
    func listen(_ heard: @escaping @Sendable (Bool) -> Void) throws -> @Sendable () -> Void

    /// Stops what threads share.
    func end()
}

/// All products; the probes use this scheme and port.
func allProducts(
    forks: Bool, _ simulated: SimulatedReachability, scheme: String, _ port: UInt16
) throws -> [any Product] {
    try [
        Managers(forks: forks), Simulations(simulated), AppleClasses(), Targets(), Paths(),
        Services(),
        Telephony(), Probes(scheme, port),
    ]
}

/// The state of one thread: random numbers, and closures that end what it began.
struct Hand {
    /// Tasks of all threads that have not ended.
    static let tasks = Atomic(0)
    private static let mostTasks = 64

    private var random: SplitMix
    private var ends: [@Sendable () -> Void] = []

    init(seed: UInt64) {
        random = SplitMix(state: seed)
    }

    mutating func below(_ bound: Int) -> Int {
        Int(random.next() % UInt64(bound))
    }

    /// Keeps a closure, and calls one of the kept closures if there are many.
    mutating func keep(_ end: @escaping @Sendable () -> Void) {
        ends.append(end)
        if ends.count > 24 { endOne() }
    }

    mutating func endOne() {
        guard !ends.isEmpty else { return }
        ends.remove(at: below(ends.count))()
    }

    mutating func endAll() {
        while !ends.isEmpty { endOne() }
    }

    /// Begins a task that is cancelled later, unless too many are running.
    mutating func begin(_ work: @escaping @Sendable () async -> Void) {
        guard Self.tasks.load(ordering: .relaxed) < Self.mostTasks else { return endOne() }
        Self.tasks.add(1, ordering: .relaxed)
        // In a task group, such an executor crashes the process in Swift 6.3: "pthread_mutex_destroy(&handle)
        // failed with error 16".
        let executor = below(2) == 0 ? InlineExecutor.shared : nil
        let task = Task(executorPreference: executor) {
            await work()
            Self.tasks.subtract(1, ordering: .relaxed)
        }
        keep { task.cancel() }
    }

    /// Runs through a sequence until it ends or is cancelled.
    mutating func iterate<Updates: AsyncSequence & Sendable>(_ updates: Updates)
    where Updates.Element: Sendable {
        begin {
            do {
                for try await _ in updates {}
            } catch {}
        }
    }
}

/// Objects that all threads share.
///
/// Each may disappear while another thread uses it.
final class Shelf<Item: AnyObject & Sendable>: Sendable {
    private let items: Mutex<[Item?]>
    private let make: @Sendable () -> Item?

    init(_ count: Int, _ make: @escaping @Sendable () -> Item?) {
        items = Mutex(Array(repeating: nil, count: count))
        self.make = make
    }

    /// Returns an item, and sometimes replaces it with a new one, if it may be released while in use.
    func take(_ hand: inout Hand, replaces: Bool = true) -> Item? {
        let place = items.withLock { hand.below($0.count) }
        let keeps = !replaces || hand.below(8) > 0
        if keeps, let item = items.withLock({ $0[place] }) { return item }
        let new = make()
        // The old item is not released under the lock.
        let (item, old) = items.withLock { items in
            // Another thread may have been faster, and have started its item already. Off the shelf, nobody
            // would stop that item.
            if keeps, let item = items[place] { return (Item?.some(item), Item?.none) }
            defer { items[place] = new }
            return (new, items[place])
        }
        withExtendedLifetime(old) {}
        return item
    }

    /// Removes all.
    func clear(_ end: (Item) -> Void) {
        let all = items.withLock { items in
            defer { items = items.map { _ in nil } }
            return items
        }
        for case let item? in all { end(item) }
    }
}

/// Vigna's splitmix64: the same numbers in each run.
private struct SplitMix {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var mixed = (state ^ state >> 30) &* 0xbf58_476d_1ce4_e5b9
        mixed = (mixed ^ mixed >> 27) &* 0x94d0_49bb_1331_11eb
        return mixed ^ mixed >> 31
    }
}
