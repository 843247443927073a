// SPDX-License-Identifier: MIT

internal import Dispatch
internal import Synchronization

/// One stretch of notifying, from a start to its stop.
final class ReachabilityNotifier: Sendable {
    private struct State {
        /// What the user knows; means nothing once a value has come.
        var baseline: ReachabilitySnapshot?
        var hasValue = false
        /// The newest value the user is still to be told.
        var pending: ReachabilitySnapshot?
        var signal: RunLoopSignal?
        var listener: NetworkReachabilityListener?
    }

    /// Where values go to their run loops.
    static let queue = DispatchQueue(label: "AppleReachability.notifier")

    private weak let owner: Reachability?
    private let state: Mutex<State>

    init(_ owner: Reachability, baseline: ReachabilitySnapshot?) {
        self.owner = owner
        state = Mutex(State(baseline: baseline))
    }

    var isOnCurrentRunLoop: Bool {
        state.withLock { $0.signal }?.isOnCurrentRunLoop ?? false
    }

    /// Begins, on the current thread's run loop.
    func start(_ core: NetworkReachabilityManager) throws(ReachabilityError) {
        let signal = RunLoopSignal { [weak self] in self?.perform() }
        state.withLock { $0.signal = signal }
        let listener = core.addListener(queue: Self.queue) { [weak self] in self?.receive($0) }
        state.withLock { $0.listener = listener }
        do throws(ReachabilityError) {
            try core.startMonitoring()
        } catch {
            end()
            throw error
        }
    }

    /// Ends; the run loop calls no source that was invalidated on its thread.
    func end() {
        let (signal, listener) = state.withLock { ($0.signal, $0.listener) }
        signal?.invalidate()
        listener?.cancel()
    }

    /// Takes what the user asked for himself before the first value came.
    func note(_ snapshot: ReachabilitySnapshot) {
        state.withLock { state in
            if !state.hasValue, state.baseline != nil { state.baseline = snapshot }
        }
    }

    private func receive(_ snapshot: ReachabilitySnapshot) {
        let signal = state.withLock { state -> RunLoopSignal? in
            let isFirst = !state.hasValue
            state.hasValue = true
            if isFirst, let baseline = state.baseline, baseline.isSame(as: snapshot) { return nil }
            state.pending = snapshot
            return state.signal
        }
        signal?.fire()
    }

    /// Runs on the run loop.
    private func perform() {
        let pending = state.withLock { $0.pending.take() }
        guard let pending, let owner else { return }
        owner.notify(pending.flags)
    }
}

extension ReachabilitySnapshot {
    /// Whether the way is the same in what SCNetworkReachability takes for a change.
    fileprivate func isSame(as other: ReachabilitySnapshot) -> Bool {
        flags == other.flags && interface?.index == other.interface?.index
            && addresses == other.addresses && status == other.status
    }
}
