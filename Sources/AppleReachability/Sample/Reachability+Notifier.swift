// SPDX-License-Identifier: MIT

@unsafe @preconcurrency internal import CoreFoundation
internal import Dispatch
internal import Foundation
internal import RunLoops
internal import Synchronization

extension Reachability {
    /// Starts the notifier: posts ``kReachabilityChangedNotification`` and calls the blocks on the current
    /// thread's run loop, in the default mode.
    ///
    /// The thread must run its run loop. On the main queue, that is the main run loop, which the main queue serves
    /// if an `async` main function runs no run loop. A second call on the same run loop does nothing; on
    /// another one, the notifier moves there.
    ///
    /// As with SCNetworkReachability, addresses and the internet target are reported when they
    /// change. To learn the first state, call ``currentReachabilityStatus()``, or set ``whenReachable``
    /// and ``whenUnreachable``. A name is reported at least once, when it is resolved or has no
    /// address. Changes while the run loop is busy are reported as one.
    ///
    /// - Returns: Whether the notifier is started; if not, ``lastError`` is set.
    @discardableResult
    public func startNotifier() -> Bool {
        let error: ReachabilityError?
        var ended: ReachabilityNotifier?
        defer { withExtendedLifetime(ended) {} }
        do throws(ReachabilityError) {
            try notifier.withLock { notifier throws(ReachabilityError) in
                guard notifier?.isOnCurrentRunLoop != true || !core.isMonitoring else { return }
                ended = end(&notifier)
                let new = ReachabilityNotifier(baseline: try baseline()) { [weak self] in
                    self?.notify($0, isBaseline: $1)
                }
                try new.start(core)
                notifier = new
            }
            error = nil
        } catch let refusal {
            error = refusal
        }
        settings.withLock { $0.lastError = error }
        return error == nil
    }

    /// Stops the notifier; any thread may call this.
    ///
    /// If you call it on the thread of the run loop, or on the main queue for the main run loop, no notification
    /// follows. If you call it elsewhere, one may still be running or about to run.
    public func stopNotifier() {
        let ended = notifier.withLock { end(&$0) }
        withExtendedLifetime(ended) {}
    }

    /// Returns the notifier; release it after the lock.
    private func end(_ notifier: inout ReachabilityNotifier?) -> ReachabilityNotifier? {
        notifier?.end()
        core.stopMonitoring()
        return notifier.take()
    }

    /// The state at the start, which isn't reported; nil for a name, whose first state is reported.
    func baseline() throws(ReachabilityError) -> ReachabilitySnapshot? {
        if case .domain = core.target.kind { return nil }
        return try core.currentSnapshot()
    }

    /// Runs on the notifier's run loop.
    ///
    /// - Parameters:
    ///   - flags: The state.
    ///   - isBaseline: Whether it is the state at the start, which only the closures of
    ///     Reachability.swift receive.
    func notify(_ flags: ReachabilityFlags, isBaseline: Bool = false) {
        let (settings, isNew) = settings.withLock { settings in
            defer { settings.lastFlags = flags }
            return (settings, settings.lastFlags != flags)
        }
        let isReachable = status(of: flags) != .NotReachable
        if isNew { (isReachable ? settings.whenReachable : settings.whenUnreachable)?.call(self) }
        guard !isBaseline else { return }
        (isReachable ? settings.reachableBlock : settings.unreachableBlock)?.call(self)
        settings.reachabilityBlock?.call((self, flags))
        MainQueue.post { [self] in
            NotificationCenter.default.post(name: kReachabilityChangedNotification, object: self)
        }
    }
}

/// The notifier from one start to the next stop.
final class ReachabilityNotifier: Sendable {
    private struct State {
        /// The state at the start, which is not reported; unused after the first value.
        var baseline: ReachabilitySnapshot?
        var hasValue = false
        /// The latest value that is not reported yet, and whether it is the baseline.
        var pending: (snapshot: ReachabilitySnapshot, isBaseline: Bool)?
        /// What waits for the pending report.
        var waiting: [Delivery.Hold] = []
        var source: RunLoopSource?
        /// The run loop that the client means.
        var loop: CFRunLoop?
        var listener: ReachabilityListener?
    }

    /// The queue that receives the values of managers and signals run loops.
    static let queue = DispatchQueue(label: "AppleReachability.notifier")

    typealias Handler = @Sendable (_ flags: ReachabilityFlags, _ isBaseline: Bool) -> Void

    private let notify: Handler
    private let state: Lock<State>

    /// - Parameters:
    ///   - baseline: The state at the start, which is not reported; nil if the first value is reported
    ///     in any case.
    ///   - notify: Called on the run loop that the caller of ``start(_:)`` means, or on the main queue.
    init(baseline: ReachabilitySnapshot?, notify: @escaping Handler) {
        self.notify = notify
        state = Lock(State(baseline: baseline))
    }

    var isOnCurrentRunLoop: Bool {
        state.withLock { $0.loop } === CFRunLoopGetCurrent().map(MainQueue.runLoop)
    }

    /// Starts on the current thread's run loop.
    func start(_ core: NetworkReachabilityManager) throws(ReachabilityError) {
        let source = RunLoopSource { [weak self] in self?.perform() }
        let loop = CFRunLoopGetCurrent().map(MainQueue.runLoop)
        if let loop { source?.add(to: loop, kCFRunLoopDefaultMode) }
        state.withLock { state in
            state.source = source
            state.loop = loop
        }
        let listener = core.addListener(queue: Self.queue, of: .verdict) { [weak self] in
            self?.receive($0)
        }
        state.withLock { $0.listener = listener }
        do throws(ReachabilityError) {
            try core.startMonitoring()
        } catch {
            end()
            throw error
        }
    }

    /// Ends the notifier.
    ///
    /// If the thread of the run loop calls it, or the main queue for the main run loop, `notify` isn't called
    /// again, because the source is invalidated.
    func end() {
        let (source, listener) = state.withLock { ($0.source, $0.listener) }
        source?.invalidate()
        listener?.cancel()
    }

    /// Makes a state that the caller has read the new baseline, which isn't reported.
    ///
    /// Has no effect after the first value, or for a name.
    func note(_ snapshot: ReachabilitySnapshot) {
        state.withLock { state in
            if !state.hasValue, state.baseline != nil { state.baseline = snapshot }
        }
    }

    private func receive(_ snapshot: ReachabilitySnapshot) {
        let hold = Delivery.hold()
        let (source, loop) = state.withLock { state -> (RunLoopSource?, CFRunLoop?) in
            // Another run loop may never run.
            if let hold, state.loop === CFRunLoopGetMain() { state.waiting.append(hold) }
            let isFirst = !state.hasValue
            state.hasValue = true
            let isBaseline = isFirst && state.baseline?.verdict == snapshot.verdict
            state.pending = (snapshot, isBaseline)
            return (state.source, state.loop)
        }
        source?.signal([loop].compactMap(\.self))
    }

    /// Runs on the run loop.
    private func perform() {
        var waiting: [Delivery.Hold] = []
        let pending = state.withLock { state in
            swap(&waiting, &state.waiting)
            return state.pending.take()
        }
        if let pending { notify(pending.snapshot.flags, pending.isBaseline) }
        withExtendedLifetime(waiting) {}
    }
}
