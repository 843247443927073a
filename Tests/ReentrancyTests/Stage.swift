// SPDX-License-Identifier: MIT
import BusTestSupport
import Dispatch
import NetworkReachability
import SwiftTestSupport
import Synchronization

/// The object whose closure is called, and the functions that actions need.
final class Stage: Sendable {
    struct Handles: Sendable {
        var start: @Sendable () -> Void
        var stop: @Sendable () -> Void
        /// Ends the subscription under test.
        var cancel: @Sendable () -> Void = {}
        var removeBlock: @Sendable () -> Void
    }

    /// Monitors with the same options share one.
    static let options = MonitorOptions(
        etcRoot: "",
        resolver: { name in
            resolving.withLock { $0 }?(name)
            return (try? [NetworkAddress(World.address)]) ?? []
        })
    /// Called by the resolver.
    static let resolving = Mutex<(@Sendable (String) -> Void)?>(nil)

    let world: World
    let namespace: NetworkNamespace
    let target: ReachabilityTarget
    private let objects: Mutex<[any Sendable]>
    private let shared: Mutex<Handles>
    private let listeners = Mutex<[ReachabilityListener]>([])
    private let tasks = Mutex<[Task<Void, Never>]>([])
    private let wasCalled = Atomic(false)

    init(_ world: World) throws {
        self.world = world
        namespace = .path(world.namespace.path)
        target = try ReachabilityTarget.address(World.address).with(namespace: namespace)
        let manager = try NetworkReachabilityManager(target: target, options: Self.options)
        objects = Mutex([manager])
        shared = Mutex(
            Handles(
                start: { [weak manager] in try? manager?.startMonitoring() },
                stop: { [weak manager] in manager?.stopMonitoring() },
                removeBlock: { [weak manager] in manager?.setReachabilityStatusChangeBlock(nil) }))
        add { $0.addListener(queue: .global()) { _ in } }
    }

    /// Nil after ``release()``.
    var manager: NetworkReachabilityManager? {
        objects.withLock { $0.lazy.compactMap { $0 as? NetworkReachabilityManager }.first }
    }

    var handles: Handles {
        get { shared.withLock { $0 } }
        set { shared.withLock { $0 = newValue } }
    }

    /// A subscription other than the one under test.
    var other: ReachabilityListener? { listeners.withLock { $0.first } }

    /// Whether this is the first read of the property.
    var isFirst: Bool { !wasCalled.exchange(true, ordering: .relaxed) }

    func add(_ subscribe: (NetworkReachabilityManager) -> ReachabilityListener) {
        guard let manager else { return }
        let listener = subscribe(manager)
        listeners.withLock { $0.append(listener) }
    }

    /// Keeps an object until ``release()``.
    func keep(_ object: any Sendable) {
        objects.withLock { $0.append(object) }
    }

    func replace(_ manager: NetworkReachabilityManager) {
        let old = objects.withLock { objects in
            defer { objects = [manager] }
            return objects
        }
        withExtendedLifetime(old) {}
    }

    func run(_ executor: (any TaskExecutor)? = nil, _ work: @escaping @Sendable () async -> Void) {
        let task = Task(executorPreference: executor, operation: work)
        tasks.withLock { $0.append(task) }
    }

    /// Waits in a separate task, since the closure may be called on a thread that the wait needs.
    func wait() {
        guard let manager else { return }
        run { _ = try? await manager.wait(timeout: .zero) { _ in true } }
    }

    /// Releases the last references that a program has.
    func release() {
        let all = objects.withLock { objects in
            defer { objects = [] }
            return objects
        }
        withExtendedLifetime(all) {}
    }

    /// Ends the remaining subscriptions and tasks.
    func end() async {
        let handles = handles
        handles.cancel()
        handles.stop()
        let tasks = tasks.withLock { $0 }
        for task in tasks { task.cancel() }
        for task in tasks { await task.value }
        manager?.stopMonitoring()
        release()
    }
}
