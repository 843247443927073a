// SPDX-License-Identifier: MIT

extension NetworkReachabilityManager {
    /// All changes, beginning with the current value; see ``NetworkReachabilitySnapshots``.
    public var snapshots: NetworkReachabilitySnapshots {
        NetworkReachabilitySnapshots(manager: self)
    }

    /// Each status that differs from the one before, beginning with the current one; see
    /// ``NetworkReachabilityStatuses``.
    public var statuses: NetworkReachabilityStatuses {
        NetworkReachabilityStatuses(manager: self)
    }
}
