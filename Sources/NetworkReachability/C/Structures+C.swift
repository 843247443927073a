// SPDX-License-Identifier: MIT

package import CReach

extension MonitorStatistics {
    init(_ statistics: reach_stats) {
        events = statistics.events
        lookups = statistics.lookups
        barriers = statistics.barriers
        overruns = statistics.overruns
        dumps = statistics.dumps
        malformed = statistics.malformed
        spoofed = statistics.spoofed
        changes = statistics.changes
        resolutions = statistics.resolutions
        wakeups = statistics.wakeups
        corrections = statistics.corrections
    }
}

extension NetworkInterface {
    init(_ interface: reach_interface, addresses: [Address]) {
        let kind = cText(of: interface.kind)
        self.init(
            index: interface.index, name: cText(of: interface.name),
            kind: kind.isEmpty ? nil : kind,
            interfaceClass: NetworkInterfaceClass(rawClass: interface.interface_class),
            state: NetworkInterfaceState(rawValue: interface.state),
            masterIndex: interface.master == 0 ? nil : interface.master, addresses: addresses)
    }
}

extension ReachabilitySnapshot {
    /// The state of a target.
    package init(_ state: reach_state) {
        let count = min(Int(state.address_count), Int(REACH_ADDRESSES_MAX))
        let addresses = unsafe withUnsafeBytes(of: state.addresses) { bytes in
            unsafe bytes.withMemoryRebound(to: reach_address.self) { list in
                unsafe list.prefix(count).compactMap { NetworkAddress($0) }
            }
        }
        let flags = ReachabilityFlags(rawValue: state.flags)
        self.init(
            flags: flags,
            interface: state.interface_index == 0
                ? nil
                : Interface(
                    index: state.interface_index, name: cText(of: state.interface_name),
                    interfaceClass: NetworkInterfaceClass(rawClass: state.interface_class)),
            source: NetworkAddress(state.source), gateway: NetworkAddress(state.gateway),
            addresses: addresses,
            reason: ReachabilityReason(
                rawReason: state.reason, isReachable: flags.contains(.reachable)),
            resolution: NameResolution(rawResolution: state.resolution),
            error: state.error == 0 ? nil : ReachabilityErrno(rawValue: state.error),
            isMetered: state.metered == REACH_METERED_UNKNOWN.rawValue
                ? nil : state.metered == REACH_METERED_YES.rawValue,
            nextHopCount: Int(state.next_hops), usableNextHopCount: Int(state.usable_next_hops))
    }
}

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

/// The text that a C function with the contract of `snprintf()` writes into a buffer of `capacity`
/// bytes, NUL included.
@unsafe
func text(
    capacity: Int, _ write: (UnsafeMutablePointer<CChar>?, Int) -> Int
) -> String {
    unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: capacity) { buffer in
        let length = unsafe min(write(buffer.baseAddress, capacity), capacity - 1)
        let bytes = unsafe UnsafeRawBufferPointer(
            rebasing: UnsafeRawBufferPointer(buffer)[..<length])
        return unsafe String(decoding: bytes, as: UTF8.self)
    }
}

/// The text of a C character array, to its NUL or its end; bytes that aren't UTF-8 become U+FFFD.
package func cText(of array: some BitwiseCopyable) -> String {
    unsafe withUnsafeBytes(of: array) { unsafe cText($0) }
}

/// The text of a buffer of bytes, to its NUL or its end.
@unsafe
package func cText(_ bytes: UnsafeRawBufferPointer) -> String {
    unsafe String(decoding: bytes.prefix { byte in byte != 0 }, as: UTF8.self)
}
