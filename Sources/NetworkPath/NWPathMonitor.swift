// SPDX-License-Identifier: MIT

#if !canImport(Network)
@unsafe @preconcurrency public import Dispatch
public import NetworkReachability

/// Watches the network of this host, like `NWPathMonitor` of Apple's Network framework.
///
///     let monitor = NWPathMonitor()
///     monitor.pathUpdateHandler = { path in
///         print(path.status == .satisfied ? "online" : "offline")
///     }
///     monitor.start(queue: .main)
///
/// Or iterate over it, without ``start(queue:)``:
///
///     for await path in NWPathMonitor() {
///         print(path)
///     }
///
/// A monitor sends no packets and doesn't poll: it looks up how the kernel would route packets to the internet. If
/// monitoring isn't possible, as in a sandbox without rtnetlink, the path is unsatisfied.
public final class NWPathMonitor: Sendable {
    private struct State: Sendable {
        var path = NWPath.unknown
        /// The path that the host has now; nil before the first.
        var newest: NWPath?
        var handler: Handler?
        var queue: DispatchQueue?
        /// The calls on `queue`, which don't overlap.
        var calls: NewestCall<Void>?
        /// Whether the first path has arrived.
        var isKnown = false
        /// Whether the first path arrived before a handler was set, and no handler has been called since.
        var isUntold = false
        var isCancelled = false
        /// Ends the watch that ``start(queue:)`` began.
        var end: (@Sendable () -> Void)?
        /// Keeps the monitor alive from ``start(queue:)`` to ``cancel()``.
        var started: NWPathMonitor?
        var iterations = Subscribers<NWPath, Updates.Stream.Continuation>()
    }

    private typealias Updates = ReachabilityUpdates<NWPath, Never>

    /// A struct, since each access to a bare closure in `Lock` would add a reabstraction thunk.
    private struct Handler: Sendable {
        let call: @Sendable (NWPath) -> Void
    }

    private let isAllowed: (@Sendable ([NWInterface.InterfaceType]) -> Bool)?
    private let namespace: NetworkNamespace
    private let options: MonitorOptions
    private let state = Lock(State())

    /// Creates a monitor that accepts every type of interface.
    public convenience init() {
        self.init(allowing: nil)
    }

    /// Creates a monitor of connections that may use only one type of interface.
    ///
    /// Its path is satisfied while an interface of the type leads to the internet, even if the kernel prefers another.
    /// Bind a socket to the path's first interface (`SO_BINDTODEVICE`) to use it.
    ///
    /// - Parameter requiredInterfaceType: The type.
    public convenience init(requiredInterfaceType: NWInterface.InterfaceType) {
        self.init { $0.first == requiredInterfaceType }
    }

    /// Creates a monitor of connections that may not use some types of interfaces.
    ///
    /// If the kernel prefers such an interface, or a tunnel that one carries, the path is the best one that avoids them.
    ///
    /// - Parameter prohibitedInterfaceTypes: The types; with none, the monitor is like that of ``init()``.
    public convenience init(prohibitedInterfaceTypes: [NWInterface.InterfaceType]) {
        self.init(
            allowing: prohibitedInterfaceTypes.isEmpty
                ? nil : Self.avoiding(prohibitedInterfaceTypes))
    }

    /// Whether connections may use an interface with these types: its own, and that of the one that carries it.
    static func avoiding(
        _ prohibited: [NWInterface.InterfaceType]
    ) -> @Sendable ([NWInterface.InterfaceType]) -> Bool {
        { !$0.contains(where: prohibited.contains) }
    }

    package init(
        in namespace: NetworkNamespace = .current, options: MonitorOptions = .standard,
        allowing isAllowed: (@Sendable ([NWInterface.InterfaceType]) -> Bool)?
    ) {
        self.namespace = namespace
        self.options = options
        self.isAllowed = isAllowed
    }

    /// The latest path that arrived on the queue of ``start(queue:)``; unsatisfied before the first.
    ///
    /// It is updated with or without a handler.
    public var currentPath: NWPath { state.withLock { $0.path } }

    /// Called on the queue of ``start(queue:)`` with the first path, and with each path that differs from the
    /// previous one.
    ///
    /// You can set it before or after ``start(queue:)``. If the first path arrives earlier, the first handler that
    /// you set is called with the current path. A handler that replaces another is called with the next change.
    @preconcurrency public var pathUpdateHandler: (@Sendable (_ newPath: NWPath) -> Void)? {
        get { state.withLock { $0.handler }?.call }
        set {
            // The old handler is released outside the lock.
            var other = newValue.map { Handler(call: $0) }
            let late = state.withLock { state -> NewestCall<Void>? in
                swap(&state.handler, &other)
                return state.isUntold && state.handler != nil ? state.calls : nil
            }
            late?.submit(())
        }
    }

    /// The queue that the handler is called on; nil before ``start(queue:)``.
    public var queue: DispatchQueue? { state.withLock { $0.queue } }

    /// Starts monitoring.
    ///
    /// A second call does nothing, and neither does a call after ``cancel()``.
    ///
    /// The monitor then stays alive until ``cancel()``, even if you release it, as on Apple's systems.
    ///
    /// - Parameter queue: The queue that the handler is called on.
    public func start(queue: DispatchQueue) {
        let calls = NewestCall<Void>(queue: queue) { [weak self] in self?.update() }
        let isFirst = state.withLock { state in
            guard state.queue == nil, !state.isCancelled else { return false }
            state.queue = queue
            state.calls = calls
            state.started = self
            return true
        }
        guard isFirst else { return }
        let end = watch { [weak self] path in
            self?.state.withLock { $0.newest = path }
            calls.submit(())
        }
        let isLate = state.withLock { state in
            if !state.isCancelled { state.end = end }
            return state.isCancelled
        }
        if isLate { end() }
    }

    /// Ends monitoring and all iterations.
    ///
    /// The handler isn't called again; a call that is running isn't interrupted.
    public func cancel() {
        var remains = State()
        state.withLock { state in
            state.isCancelled = true
            swap(&remains.end, &state.end)
            swap(&remains.started, &state.started)
            swap(&remains.iterations, &state.iterations)
        }
        remains.end?()
        for continuation in remains.iterations.all { continuation.finish() }
    }

    /// Takes the newest path, and calls the handler with it if it is new to the handler; runs on the queue.
    private func update() {
        let (handler, path) = state.withLock { state -> (Handler?, NWPath) in
            guard !state.isCancelled, let newest = state.newest else { return (nil, state.path) }
            let isNew = !state.isKnown || newest != state.path
            let isDue = isNew || state.isUntold
            state.isUntold = (state.isUntold || !state.isKnown) && state.handler == nil
            state.isKnown = true
            state.path = newest
            return (isDue ? state.handler : nil, newest)
        }
        handler?.call(path)
    }

    /// Calls `body` with each path, until the returned closure is called; never for a cancelled monitor.
    private func watch(_ body: @escaping @Sendable (NWPath) -> Void) -> @Sendable () -> Void {
        guard !state.withLock({ $0.isCancelled }) else { return {} }
        let isAllowed = isAllowed
        do throws(ReachabilityError) {
            return try MonitorHub.watchHost(of: namespace, options: options) { result in
                switch result {
                case .success(let host): body(NWPath(host, allowing: isAllowed))
                case .failure: body(.unknown)
                }
            }
        } catch {
            body(.unknown)
            return {}
        }
    }
}

extension NWPathMonitor: CustomDebugStringConvertible {
    /// The path: `NWPathMonitor (satisfied (Path is satisfied), interface: eth0, ipv4, dns, uses wired)`.
    public var debugDescription: String { "NWPathMonitor (\(currentPath.debugDescription))" }
}

extension NWPathMonitor: AsyncSequence {
    /// A path.
    public typealias Element = NWPath

    /// The sequence doesn't throw.
    public typealias Failure = Never

    /// Starts an iteration: the current path, then each path that differs from the previous one.
    ///
    /// It doesn't need ``start(queue:)``. It ends with ``cancel()``, or when its task is cancelled. Only the newest
    /// path is buffered.
    public func makeAsyncIterator() -> Iterator {
        Updates(isRepetition: ==) { [self] continuation in
            let end = watch { continuation.yield(.success($0)) }
            let id = state.withLock { $0.isCancelled ? nil : $0.iterations.add(continuation) }
            if id == nil { continuation.finish() }
            return { [self] in
                end()
                let removed = state.withLock { state in id.flatMap { state.iterations.remove($0) } }
                withExtendedLifetime(removed) {}
                continuation.finish()
            }
        }.makeAsyncIterator()
    }

    /// One iteration.
    public typealias Iterator = ReachabilityUpdates<NWPath, Never>.Iterator
}
#endif
