// SPDX-License-Identifier: MIT

#if canImport(CReach)
internal import CReach

extension ReachabilityExplanation {
    init(withoutEvidence snapshot: ReachabilitySnapshot) {
        self.init(reach_explanation(), of: snapshot)
    }

    init(_ value: reach_explanation, of snapshot: ReachabilitySnapshot) {
        self.snapshot = snapshot
        rule = Self.name(of: value.rule)
        address = NetworkAddress(value.address)
        addressRule = Self.name(of: value.address_rule)
        addressCount = Int(value.address_count)
        lookupCount = Int(value.lookup_count)
        reachableCount = Int(value.reachable_count)
        policyRule = PolicyRule(value)
        otherPolicyRules = Int(value.policy_count)
        unevaluatedPolicyRules = Int(value.policy_ignored)
        route = Route(value)
        source = Source(value)
        modem = Modem(value)
        lookups = Int(value.lookups)
        firstLookup =
            value.first_error == 0 && value.first_output == 0
            ? nil : Self.choice(value.first_error, value.first_source)
        firstInterfaceIndex = value.first_output == 0 ? nil : value.first_output
        isLeak = value.is_leak != 0
        socket =
            value.socket_asked == 0 ? nil : Self.choice(value.socket_error, value.socket_source)
        links = unsafe withUnsafeBytes(of: value.links) { bytes in
            unsafe bytes.withMemoryRebound(to: reach_explained_link.self) { links in
                unsafe links.prefix(Int(value.link_count)).map { Link($0) }
            }
        }
    }

    private static func name(of rule: UInt32) -> String? {
        let name = unsafe String(cString: reach_rule_name(rule))
        return name.isEmpty ? nil : name
    }

    private static func choice(_ error: Int32, _ source: reach_address) -> SourceChoice {
        error == 0
            ? .success(NetworkAddress(source)) : .failure(ReachabilityErrno(rawValue: error))
    }
}

extension ReachabilityExplanation.PolicyRule {
    /// FR_ACT_* of linux/fib_rules.h.
    private static let actions: [UInt32: String] = [
        1: "lookup", 6: "blackhole", 7: "unreachable", 8: "prohibit",
    ]

    fileprivate init?(_ value: reach_explanation) {
        guard let action = Self.actions[value.policy_action] else { return nil }
        self.init(priority: value.policy_priority, action: action)
    }
}

extension ReachabilityExplanation.Route {
    /// RTN_* of linux/rtnetlink.h, with the names of iproute2.
    package static let types = [
        "unspec", "unicast", "local", "broadcast", "anycast", "multicast", "blackhole",
        "unreachable", "prohibit", "throw", "nat", "xresolve",
    ]

    fileprivate init?(_ value: reach_explanation) {
        guard value.error != 0 || value.route_type != 0 else { return nil }
        let type = Int(value.route_type)
        self.init(
            error: value.error == 0 ? nil : ReachabilityErrno(rawValue: value.error),
            type: value.error != 0
                ? nil : Self.types.indices.contains(type) ? Self.types[type] : "\(type)",
            table: value.table == 0 ? nil : value.table, prefix: Self.prefix(value),
            gateway: NetworkAddress(value.gateway))
    }

    /// The first bits of the address that was looked up.
    private static func prefix(_ value: reach_explanation) -> String? {
        guard value.prefix_length != UInt32.max, let address = NetworkAddress(value.address)
        else { return nil }
        let length = Int(value.prefix_length)
        let bytes = address.bytes.enumerated().map { position, byte in
            let kept = min(8, max(0, length - 8 * position))
            return byte & UInt8(truncatingIfNeeded: 0xff00 >> kept)
        }
        return (try? NetworkAddress(bytes: bytes)).map { "\($0)/\(length)" }
    }
}

extension ReachabilityExplanation.Source {
    fileprivate init?(_ value: reach_explanation) {
        let address = NetworkAddress(value.source)
        let isNeeded = value.source_state != reach_source_state.REACH_SOURCE_NOT_NEEDED.rawValue
        guard address != nil || isNeeded else { return nil }
        self.init(
            address: address,
            state: unsafe String(cString: reach_source_state_name(value.source_state)),
            addressFlags: value.source_flags,
            interfaceIndex: value.source_interface == 0 ? nil : value.source_interface)
    }
}

extension ReachabilityExplanation.Link {
    fileprivate init(_ value: reach_explained_link) {
        self.init(
            interface: NetworkInterface(
                index: value.index, name: cText(of: value.name),
                kind: cTextOrNil(of: value.kind),
                interfaceClass: NetworkInterfaceClass(rawClass: value.interface_class),
                state: NetworkInterfaceState(rawValue: value.state),
                masterIndex: value.master == 0 ? nil : value.master),
            basis: unsafe String(cString: reach_class_basis_name(value.basis)),
            hardwareType: value.hardware_type, deviceType: cTextOrNil(of: value.devtype),
            driver: cTextOrNil(of: value.driver))
    }
}

extension ReachabilityExplanation.Modem {
    fileprivate init?(_ value: reach_explanation) {
        guard value.modem_conditions != 0 else { return nil }
        func has(_ condition: reach_modem_condition) -> Bool {
            value.modem_conditions & condition.rawValue != 0
        }
        self.init(
            interfaceIndex: value.modem_interface == 0 ? nil : value.modem_interface,
            isRegistered: has(.REACH_MODEM_REGISTERED), isLocked: has(.REACH_MODEM_LOCKED),
            connectsOnTraffic: has(.REACH_MODEM_ON_TRAFFIC))
    }
}
#endif
