// SPDX-License-Identifier: MIT

@unsafe @preconcurrency public import Dispatch
package import NetworkReachability

/// Watches the network of this host, like `NWPathMonitor` of Apple's Network framework.
///
///     let monitor = NWPathMonitor()
///     monitor.pathUpdateHandler = { path in
///         print(path.status == .satisfied ? "online" : "offline")
///     }
///     monitor.start(queue: .main)
///
/// Or as a sequence, which needs no ``start(queue:)``:
///
///     for await path in NWPathMonitor() {
///         print(path)
///     }
///
/// Nothing is sent and nothing polled: a path is what the kernel would do with packets to the internet. Where no
/// monitor can be opened, as in a sandbox without rtnetlink, the path is unsatisfied.
public final class NWPathMonitor: Sendable {
    private struct State: Sendable {
        var path = NWPath.unknown
        var handler: Handler?
        var queue: DispatchQueue?
        /// Whether there was a path.
        var isKnown = false
        /// Whether that was while there was no handler, and none was called since.
        var isUntold = false
        var isCancelled = false
        /// Ends what ``start(queue:)`` began.
        var end: (@Sendable () -> Void)?
        /// The monitor itself from the start to ``cancel()``.
        var started: NWPathMonitor?
        var iterations: [ObjectIdentifier: AsyncStream<NWPath>.Continuation] = [:]
    }

    /// A struct, since each access to a bare closure in `Lock` would add a reabstraction thunk.
    private struct Handler: Sendable {
        let call: @Sendable (NWPath) -> Void
    }

    private let isAllowed: @Sendable (NWInterface.InterfaceType) -> Bool
    private let namespace: NetworkNamespace
    private let options: MonitorOptions
    private let state = Lock(State())

    /// A monitor of every type of interface.
    public convenience init() {
        self.init { _ in true }
    }

    /// A monitor that is satisfied only by ways over interfaces of one type.
    ///
    /// As the kernel routes new connections: another default route is not searched for.
    ///
    /// - Parameter requiredInterfaceType: The type.
    public convenience init(requiredInterfaceType: NWInterface.InterfaceType) {
        self.init { $0 == requiredInterfaceType }
    }

    /// A monitor that is not satisfied by ways over interfaces of some types.
    ///
    /// - Parameter prohibitedInterfaceTypes: The types.
    public convenience init(prohibitedInterfaceTypes: [NWInterface.InterfaceType]) {
        self.init { !prohibitedInterfaceTypes.contains($0) }
    }

    package init(
        in namespace: NetworkNamespace = .current, options: MonitorOptions = .standard,
        allowing isAllowed: @escaping @Sendable (NWInterface.InterfaceType) -> Bool
    ) {
        self.namespace = namespace
        self.options = options
        self.isAllowed = isAllowed
    }

    /// The path that the handler was called with last; before that an unsatisfied one.
    public var currentPath: NWPath { state.withLock { $0.path } }

    /// Called on the queue of ``start(queue:)`` with the first path, and with each that differs from the one
    /// before.
    ///
    /// Clients set it right after the start as often as before it. If none was there for the first path, the
    /// first that is set is called with the current one; a later one is called with the next change.
    @preconcurrency public var pathUpdateHandler: (@Sendable (_ newPath: NWPath) -> Void)? {
        get { state.withLock { $0.handler }?.call }
        set {
            // Released after the lock.
            var other = newValue.map { Handler(call: $0) }
            let late = state.withLock { state -> DispatchQueue? in
                swap(&state.handler, &other)
                return state.isUntold && state.handler != nil ? state.queue : nil
            }
            late?.async { [weak self] in self?.tell() }
        }
    }

    /// The queue that the handler is called on; nil before ``start(queue:)``.
    public var queue: DispatchQueue? { state.withLock { $0.queue } }

    /// Starts monitoring, once: neither a monitor that runs nor one that was cancelled can be started again.
    ///
    /// From now on the monitor lives until ``cancel()``, whether anybody else holds it or not, as it does on Apple's
    /// systems.
    ///
    /// - Parameter queue: The queue that the handler is called on.
    public func start(queue: DispatchQueue) {
        let isFirst = state.withLock { state in
            guard state.queue == nil, !state.isCancelled else { return false }
            state.queue = queue
            state.started = self
            return true
        }
        guard isFirst else { return }
        let call = NewestCall(queue: queue) { [weak self] path in self?.take(path) }
        let end = watch { call.submit($0) }
        let isLate = state.withLock { state in
            if !state.isCancelled { state.end = end }
            return state.isCancelled
        }
        if isLate { end() }
    }

    /// Ends monitoring, and iterations; the handler is not called any more, but for a call under way.
    public func cancel() {
        var remains = State()
        state.withLock { state in
            state.isCancelled = true
            swap(&remains.end, &state.end)
            swap(&remains.started, &state.started)
            swap(&remains.iterations, &state.iterations)
        }
        remains.end?()
        for continuation in remains.iterations.values { continuation.finish() }
    }

    /// A path on the queue.
    private func take(_ path: NWPath) {
        let handler = state.withLock { state -> Handler? in
            guard !state.isCancelled, state.path != path || !state.isKnown else { return nil }
            state.isUntold = (state.isUntold || !state.isKnown) && state.handler == nil
            state.isKnown = true
            state.path = path
            return state.handler
        }
        handler?.call(path)
    }

    /// Tells a handler that came after the first path of the current one, on the queue.
    private func tell() {
        let (handler, path) = state.withLock { state -> (Handler?, NWPath) in
            guard state.isUntold, !state.isCancelled else { return (nil, state.path) }
            state.isUntold = state.handler == nil
            return (state.handler, state.path)
        }
        handler?.call(path)
    }

    /// Calls `body` with each path, until the returned closure is called.
    private func watch(_ body: @escaping @Sendable (NWPath) -> Void) -> @Sendable () -> Void {
        let isAllowed = isAllowed
        do throws(ReachabilityError) {
            return try NetworkHost.watch(in: namespace, options: options) { result in
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

    /// The sequence does not throw.
    public typealias Failure = Never

    /// Starts an iteration: the current path, then each that differs from the one before.
    ///
    /// It is independent of ``start(queue:)``, and ends with ``cancel()`` or its task. Only the newest path is
    /// buffered.
    public func makeAsyncIterator() -> Iterator {
        let (stream, continuation) = AsyncStream<NWPath>.makeStream(
            bufferingPolicy: .bufferingNewest(1))
        let iteration = Iteration(self, continuation)
        return Iterator(iteration: iteration, stream: stream.makeAsyncIterator())
    }

    /// One iteration.
    public struct Iterator: AsyncIteratorProtocol {
        // `for await` releases the sequence once it has the iterator, which keeps the monitor.
        fileprivate let iteration: Iteration
        fileprivate var stream: AsyncStream<NWPath>.AsyncIterator
        private var last: NWPath?

        fileprivate init(iteration: Iteration, stream: AsyncStream<NWPath>.AsyncIterator) {
            self.iteration = iteration
            self.stream = stream
        }

        /// Waits for the next path; nil at the end.
        public mutating func next(
            isolation actor: isolated (any Actor)? = #isolation
        ) async -> NWPath? {
            while let path = await stream.next(isolation: actor) {
                guard path != last else { continue }
                last = path
                return path
            }
            return nil
        }
    }

    /// What feeds an iteration, which ends with it.
    fileprivate final class Iteration: Sendable {
        private let monitor: NWPathMonitor
        private let continuation: AsyncStream<NWPath>.Continuation
        private let end: @Sendable () -> Void

        init(_ monitor: NWPathMonitor, _ continuation: AsyncStream<NWPath>.Continuation) {
            self.monitor = monitor
            self.continuation = continuation
            end = monitor.watch { continuation.yield($0) }
            monitor.add(continuation, of: ObjectIdentifier(self))
        }

        deinit {
            end()
            monitor.remove(ObjectIdentifier(self))
            continuation.finish()
        }
    }

    private func add(
        _ continuation: AsyncStream<NWPath>.Continuation, of iteration: ObjectIdentifier
    ) {
        let isLate = state.withLock { state in
            if !state.isCancelled { state.iterations[iteration] = continuation }
            return state.isCancelled
        }
        if isLate { continuation.finish() }
    }

    private func remove(_ iteration: ObjectIdentifier) {
        let removed = state.withLock { $0.iterations.removeValue(forKey: iteration) }
        withExtendedLifetime(removed) {}
    }
}
