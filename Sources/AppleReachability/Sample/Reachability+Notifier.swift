// SPDX-License-Identifier: MIT

internal import Foundation
internal import Synchronization

extension Reachability {
    /// Begins to post ``kReachabilityChangedNotification``, and to call the blocks, on the current thread's
    /// run loop, in the default mode; a thread that does not run its run loop hears nothing.
    ///
    /// Started again on the same run loop it does nothing; on another one it moves there.
    ///
    /// As with SCNetworkReachability, an address and the way out are silent until something changes: ask
    /// ``currentReachabilityStatus()`` for the state at the start. A name is told at least once, when it
    /// is resolved or found to have no address. Changes that come while the run loop is busy are told as one.
    ///
    /// - Returns: Whether it notifies; ``lastError`` says why not.
    @discardableResult
    public func startNotifier() -> Bool {
        let error: ReachabilityError?
        var ended: ReachabilityNotifier?
        defer { withExtendedLifetime(ended) {} }
        do throws(ReachabilityError) {
            try notifier.withLock { notifier throws(ReachabilityError) in
                guard notifier?.isOnCurrentRunLoop != true || !core.isMonitoring else { return }
                ended = end(&notifier)
                let new = ReachabilityNotifier(baseline: try baseline()) { [weak self] flags in
                    self?.notify(flags)
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

    /// Ends what ``startNotifier()`` began, from whatever thread.
    ///
    /// Nothing is posted any more once it has returned on the run loop's thread; elsewhere one
    /// notification may still be under way.
    public func stopNotifier() {
        let ended = notifier.withLock { end(&$0) }
        withExtendedLifetime(ended) {}
    }

    /// Returns what is to be let go of outside the lock.
    private func end(_ notifier: inout ReachabilityNotifier?) -> ReachabilityNotifier? {
        notifier?.end()
        core.stopMonitoring()
        return notifier.take()
    }

    /// What the user can know at the start; nil where the first value is told in any case.
    func baseline() throws(ReachabilityError) -> ReachabilitySnapshot? {
        if case .domain = core.target.kind { return nil }
        return try core.currentSnapshot()
    }

    /// Runs on the notifier's run loop.
    func notify(_ flags: ReachabilityFlags) {
        let settings = settings.withLock { $0 }
        if status(of: flags) == .NotReachable {
            settings.unreachableBlock?(self)
        } else {
            settings.reachableBlock?(self)
        }
        settings.reachabilityBlock?(self, flags)
        NotificationCenter.default.post(name: kReachabilityChangedNotification, object: self)
    }
}
