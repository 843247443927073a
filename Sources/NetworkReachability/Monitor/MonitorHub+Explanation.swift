// SPDX-License-Identifier: MIT

extension MonitorHub {
    fileprivate func explain(_ id: UInt64) throws(ReachabilityError) -> ReachabilityExplanation? {
        guard try read(id) != nil else { return nil }
        return try? state.withLock { state throws(ReachabilityErrno) in
            guard !state.isDead, state.sessions[id] != nil else { return nil }
            return try state.handle.explain(id)
        }
    }
}

extension MonitorHub.Subscription {
    /// Explains the state that ``read()`` returns; nil in the same cases.
    package func explain() throws(ReachabilityError) -> ReachabilityExplanation? {
        try hub.explain(id)
    }
}
