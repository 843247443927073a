// SPDX-License-Identifier: MIT

extension NetworkReachabilityManager {
    /// Explains the current state of the target: the rule that decided the verdict, and its evidence.
    ///
    /// Like ``currentSnapshot()``, it waits for the kernel's answer, but not for a name to be resolved. The kernel
    /// is also asked for the matched prefix and the policy rule. The explanation has the snapshot that it
    /// explains.
    ///
    /// It is not a property of ``ReachabilitySnapshot``: the evidence (links below the interface, flags of
    /// addresses, policy rules) would have to be copied with every change, and some of it looked up, though hardly
    /// anybody reads it.
    ///
    /// - Throws: The errors of ``startMonitoring()``.
    public func explanation() throws(ReachabilityError) -> ReachabilityExplanation {
        let running = state.withLock { $0.isMonitoring ? $0.running : nil }
        if let explanation = try running?.subscription?.explain() { return explanation }
        return try source.explain(target)
    }
}
