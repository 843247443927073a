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
