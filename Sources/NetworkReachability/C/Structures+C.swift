// SPDX-License-Identifier: MIT

#if canImport(CReach)
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
        interfaceChanges = statistics.interface_changes
    }
}

extension NetworkInterface {
    init(_ interface: reach_interface, addresses: [Address]) {
        self.init(
            index: interface.index, name: cText(of: interface.name),
            kind: cTextOrNil(of: interface.kind),
            interfaceClass: NetworkInterfaceClass(rawClass: interface.interface_class),
            state: NetworkInterfaceState(rawValue: interface.state),
            masterIndex: interface.master == 0 ? nil : interface.master, addresses: addresses)
        lower = Lower(
            index: interface.lower == 0 ? nil : interface.lower,
            isElsewhere: interface.lower_elsewhere != 0,
            path: NetworkAddress(interface.remote).flatMap { remote in
                // The kernel sends the packets itself, as root.
                try? ReachabilityTarget.addressPair(
                    local: NetworkAddress(interface.local), remote: remote
                ).with(mark: interface.mark).with(uid: 0).with(interfaceIndex: interface.lower)
            })
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

extension NetworkInterfaceClass {
    /// The classes in the order of `enum reach_interface_class`.
    private static let numbered = allCases

    init(rawClass: UInt32) {
        self = Self.numbered.indices.contains(Int(rawClass)) ? Self.numbered[Int(rawClass)] : .other
    }

    /// The number of `enum reach_interface_class`.
    var rawClass: UInt32 { UInt32(Self.numbered.firstIndex(of: self) ?? 0) }
}

extension ReachabilityReason {
    /// From ``notEvaluated``, the reasons in the order of `enum reach_reason`.
    private static let numbered = Array(allCases.dropFirst())

    init(rawReason: UInt32, isReachable: Bool) {
        let known = Self.numbered.indices.contains(Int(rawReason))
        self = known ? Self.numbered[Int(rawReason)] : .unknown
        if isReachable, self == .notEvaluated { self = .reachable }
    }
}

/// What a service other than the kernel knows about an interface.
package typealias InterfaceFacts = reach_interface_facts

extension InterfaceFacts {
    /// The conditions of a modem.
    package typealias Modem = reach_modem_condition

    /// Nil for a name that no interface can have.
    ///
    /// - Parameters:
    ///   - name: The interface; "" for all tunnels without an own value, and for a modem whose interface isn't
    ///     known.
    ///   - isMetered: Whether traffic is metered; nil if unknown.
    ///   - modem: The conditions of the modem, if there is one.
    package init?(name: String, isMetered: Bool? = nil, modem: Modem = []) {
        self.init()
        guard name.utf8.count < MemoryLayout.size(ofValue: interface_name) else { return nil }
        size = MemoryLayout<Self>.size
        unsafe withUnsafeMutableBytes(of: &interface_name) { unsafe $0.copyBytes(from: name.utf8) }
        let value = isMetered.map { $0 ? REACH_METERED_YES : REACH_METERED_NO }
        metered = (value ?? REACH_METERED_UNKNOWN).rawValue
        self.modem = modem.rawValue
    }
}

extension InterfaceFacts.Modem {
    /// Registered with a network, so it can connect.
    package static var registered: Self { .REACH_MODEM_REGISTERED }
    /// Has a data connection; routes and links decide the verdict.
    package static var connected: Self { .REACH_MODEM_CONNECTED }
    /// The SIM needs a PIN or PUK.
    package static var locked: Self { .REACH_MODEM_LOCKED }
    /// Traffic makes a registered modem connect.
    package static var onTraffic: Self { .REACH_MODEM_ON_TRAFFIC }
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

/// The same; nil for an empty text.
package func cTextOrNil(of array: some BitwiseCopyable) -> String? {
    let text = cText(of: array)
    return text.isEmpty ? nil : text
}

/// The text of a buffer of bytes, to its NUL or its end.
@unsafe
package func cText(_ bytes: UnsafeRawBufferPointer) -> String {
    unsafe String(decoding: bytes.prefix { byte in byte != 0 }, as: UTF8.self)
}
#endif
