// SPDX-License-Identifier: MIT

@_implementationOnly import CReach

/// What a name's flags are until its resolution is final.
public enum NameResolutionPolicy: String, Hashable, Sendable, CaseIterable, Codable {
    /// Those of ``ReachabilityTarget/internet``, as SCNetworkReachability does it since OS X 10.11. A
    /// name that does not exist is reachable at first, and then no more.
    case optimistic
    /// None: the name is not reachable until it is resolved. The default of this module; those with
    /// Apple's names are ``optimistic``.
    case strict

    var cValue: reach_name_policy {
        switch self {
        case .optimistic: .REACH_NAME_OPTIMISTIC
        case .strict: .REACH_NAME_STRICT
        }
    }
}
