// SPDX-License-Identifier: MIT

@unsafe @preconcurrency internal import CoreFoundation
internal import Dispatch
internal import Foundation
internal import Synchronization

/// One stretch of notifying, from a start to its stop.
final class ReachabilityNotifier: Sendable {
    private struct State {
        /// What the user knows; means nothing once a value has come.
        var baseline: ReachabilitySnapshot?
        var hasValue = false
        /// The newest value the user is still to be told.
        var pending: ReachabilitySnapshot?
        var source: RunLoopSource?
        var loop: CFRunLoop?
        var listener: NetworkReachabilityListener?
    }

    /// Where values go to their run loops.
    static let queue = DispatchQueue(label: "AppleReachability.notifier")

    private let notify: @Sendable (ReachabilityFlags) -> Void
    private let state: Mutex<State>

    /// - Parameters:
    ///   - baseline: The state that the user can know already; nil if the first value counts as a change.
    ///   - notify: Called on the run loop of the thread that calls ``start(_:)``.
    init(
        baseline: ReachabilitySnapshot?, notify: @escaping @Sendable (ReachabilityFlags) -> Void
    ) {
        self.notify = notify
        state = Mutex(State(baseline: baseline))
    }

    var isOnCurrentRunLoop: Bool {
        state.withLock { $0.loop } === CFRunLoopGetCurrent()
    }

    /// Begins, on the current thread's run loop.
    func start(_ core: NetworkReachabilityManager) throws(ReachabilityError) {
        let source = RunLoopSource { [weak self] in self?.perform() }
        let loop = CFRunLoopGetCurrent()
        if let loop { source?.add(to: loop, kCFRunLoopDefaultMode) }
        state.withLock { state in
            state.source = source
            state.loop = loop
        }
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
        let (source, listener) = state.withLock { ($0.source, $0.listener) }
        source?.invalidate()
        listener?.cancel()
    }

    /// Takes what the user asked for himself before the first value came.
    func note(_ snapshot: ReachabilitySnapshot) {
        state.withLock { state in
            if !state.hasValue, state.baseline != nil { state.baseline = snapshot }
        }
    }

    private func receive(_ snapshot: ReachabilitySnapshot) {
        let (source, loop) = state.withLock { state -> (RunLoopSource?, CFRunLoop?) in
            let isFirst = !state.hasValue
            state.hasValue = true
            if isFirst, let baseline = state.baseline, baseline.isSame(as: snapshot) {
                return (nil, nil)
            }
            state.pending = snapshot
            return (state.source, state.loop)
        }
        if let loop { source?.signal([loop]) }
    }

    /// Runs on the run loop.
    private func perform() {
        if let pending = state.withLock({ $0.pending.take() }) { notify(pending.flags) }
    }
}

extension ReachabilitySnapshot {
    /// Whether the way is the same in what SCNetworkReachability takes for a change.
    fileprivate func isSame(as other: ReachabilitySnapshot) -> Bool {
        flags == other.flags && interface?.index == other.interface?.index
            && addresses == other.addresses && status == other.status
    }
}
