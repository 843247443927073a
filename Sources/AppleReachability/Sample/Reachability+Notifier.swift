// SPDX-License-Identifier: MIT

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
