// SPDX-License-Identifier: MIT

extension NetworkReachabilityManager {
    /// Explains the current state of the target: the rule that decided the verdict, and its evidence.
    ///
    /// Like ``currentSnapshot()``, it waits for the kernel's answer, but not for a name to be resolved. It also
    /// queries the kernel for the matched prefix and the policy rule. The explanation contains the snapshot that
    /// it explains.
    ///
    /// The explanation isn't a property of ``ReachabilitySnapshot`` because few programs need it. Every change would
    /// have to copy the evidence (links below the interface, flags of addresses, policy rules) and look up some of it.
    ///
    /// - Throws: The errors of ``startMonitoring()``.
    public func explanation() throws(ReachabilityError) -> ReachabilityExplanation {
        let running = state.withLock { $0.isMonitoring ? $0.running : nil }
        if let explanation = try running?.subscription?.explain() { return explanation }
        return try source.explain(target)
    }
}
