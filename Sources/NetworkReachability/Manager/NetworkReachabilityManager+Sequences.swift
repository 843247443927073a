// SPDX-License-Identifier: MIT

extension NetworkReachabilityManager {
    /// Everything that is published, the current value first; see ``NetworkReachabilitySnapshots``.
    public var snapshots: NetworkReachabilitySnapshots {
        NetworkReachabilitySnapshots(manager: self)
    }

    /// Each status that differs from the one before, the current one first; see
    /// ``NetworkReachabilityStatuses``.
    public var statuses: NetworkReachabilityStatuses {
        NetworkReachabilityStatuses(manager: self)
    }
}
