// SPDX-License-Identifier: MIT

internal import CReach

extension NameResolution {
    init(rawResolution: UInt32) {
        switch reach_resolution(rawValue: rawResolution) {
        case .REACH_RESOLUTION_PENDING: self = .pending
        case .REACH_RESOLUTION_DONE: self = .done
        case .REACH_RESOLUTION_OUTDATED: self = .outdated
        default: self = .notAName
        }
    }
}

extension NameResolutionPolicy {
    var cValue: reach_name_policy {
        switch self {
        case .optimistic: .REACH_NAME_OPTIMISTIC
        case .strict: .REACH_NAME_STRICT
        }
    }
}

extension NetworkInterfaceClass {
    init(rawClass: UInt32) {
        switch reach_interface_class(rawValue: rawClass) {
        case .REACH_INTERFACE_LOOPBACK: self = .loopback
        case .REACH_INTERFACE_WIRED_ETHERNET: self = .wiredEthernet
        case .REACH_INTERFACE_WIFI: self = .wifi
        case .REACH_INTERFACE_CELLULAR: self = .cellular
        case .REACH_INTERFACE_VPN: self = .vpn
        case .REACH_INTERFACE_PPP: self = .ppp
        case .REACH_INTERFACE_VIRTUAL: self = .virtual
        default: self = .other
        }
    }

    var cValue: reach_interface_class {
        switch self {
        case .other: .REACH_INTERFACE_OTHER
        case .loopback: .REACH_INTERFACE_LOOPBACK
        case .wiredEthernet: .REACH_INTERFACE_WIRED_ETHERNET
        case .wifi: .REACH_INTERFACE_WIFI
        case .cellular: .REACH_INTERFACE_CELLULAR
        case .vpn: .REACH_INTERFACE_VPN
        case .ppp: .REACH_INTERFACE_PPP
        case .virtual: .REACH_INTERFACE_VIRTUAL
        }
    }
}

extension ReachabilityReason {
    // #lizard forgives: the compiler warns if a reason of C is missing here.
    init(rawReason: UInt32, isReachable: Bool) {
        self =
            switch reach_reason(rawValue: rawReason) {
            case .REACH_REASON_NONE: isReachable ? .reachable : .notEvaluated
            case .REACH_REASON_NO_ROUTE: .noRoute
            case .REACH_REASON_UNREACHABLE: .unreachable
            case .REACH_REASON_PROHIBITED: .prohibited
            case .REACH_REASON_BLACKHOLE: .blackhole
            case .REACH_REASON_LINK_DOWN: .linkDown
            case .REACH_REASON_DORMANT: .dormant
            case .REACH_REASON_NO_SOURCE: .noSource
            case .REACH_REASON_NOT_LOCAL: .notLocal
            case .REACH_REASON_NO_INTERFACE: .noInterface
            case .REACH_REASON_RESOLVING: .resolving
            case .REACH_REASON_NO_ADDRESS: .noAddress
            case .REACH_REASON_REFUSED: .refused
            case .REACH_REASON_NO_SUCH_NAME: .noSuchName
            case .REACH_REASON_RESOLVER_FAILED: .resolverFailed
            case .REACH_REASON_NO_NETWORK: .noNetwork
            case .REACH_REASON_NOT_CONNECTED: .notConnected
            case .REACH_REASON_LOCKED_SIM: .lockedSIM
            case .REACH_REASON_OTHER_INTERFACE: .otherInterface
            case nil: .unknown
            @unknown default: .unknown
            }
    }
}

extension ReachabilityRule {
    init(rawRule: UInt32) {
        self = unsafe Self(rawValue: String(cString: reach_rule_name(rawRule))) ?? .undecided
    }
}

extension Reporting {
    var cValue: reach_report {
        switch self {
        case .verdict: .REACH_REPORT_VERDICT
        case .path: .REACH_REPORT_PATH
        }
    }
}
