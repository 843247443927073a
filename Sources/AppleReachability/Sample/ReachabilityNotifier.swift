// SPDX-License-Identifier: MIT

@unsafe @preconcurrency internal import CoreFoundation
internal import Dispatch
internal import Foundation
internal import RunLoops

/// The notifier from one start to the next stop.
final class ReachabilityNotifier: Sendable {
    private struct State {
        /// The state at the start, which is not reported; unused after the first value.
        var baseline: ReachabilitySnapshot?
        var hasValue = false
        /// The latest value that is not reported yet, and whether it is the baseline.
        var pending: (snapshot: ReachabilitySnapshot, isBaseline: Bool)?
        var source: RunLoopSource?
        /// The run loop that the client means, then the thread's own if it stands for that one.
        var loops: [CFRunLoop] = []
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
    ///   - notify: Called on a run loop of ``ServedRunLoop`` for the thread that calls ``start(_:)``, or on
    ///     the main queue.
    init(baseline: ReachabilitySnapshot?, notify: @escaping Handler) {
        self.notify = notify
        state = Lock(State(baseline: baseline))
    }

    var isOnCurrentRunLoop: Bool {
        state.withLock { $0.loops.first } === CFRunLoopGetCurrent().map { ServedRunLoop($0).loop }
    }

    /// Starts on the current thread's run loop.
    func start(_ core: NetworkReachabilityManager) throws(ReachabilityError) {
        let source = RunLoopSource { [weak self] in self?.perform() }
        let served = CFRunLoopGetCurrent().map { ServedRunLoop($0) }
        let loops = [served?.loop, served?.current].compactMap { $0 }
        if let loop = served?.loop { source?.add(to: loop, kCFRunLoopDefaultMode) }
        if let current = served?.current { source?.add(toStandIn: current, kCFRunLoopDefaultMode) }
        state.withLock { state in
            state.source = source
            state.loops = loops
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
        let (source, loops) = state.withLock { state -> (RunLoopSource?, [CFRunLoop]) in
            let isFirst = !state.hasValue
            state.hasValue = true
            let isBaseline = isFirst && state.baseline?.verdict == snapshot.verdict
            state.pending = (snapshot, isBaseline)
            return (state.source, state.loops)
        }
        source?.signal(loops)
    }

    /// Runs on the run loop.
    private func perform() {
        if let pending = state.withLock({ $0.pending.take() }) {
            notify(pending.snapshot.flags, pending.isBaseline)
        }
    }
}
