// SPDX-License-Identifier: MIT

import CReach
import CReachInternal
import NetworkReachability

// The members of each message. An absent attribute has none.

extension reach_message {
    /// The message as JSON: the header, and the body under the name of its kind.
    var json: String {
        var object: JSONObject = [
            "kind": kindName, "type": type, "deleted": isDeletion, "flags": flags,
            "sequence": sequence, "port": port,
        ]
        object.setIfPresent(kindName, body)
        return object.line
    }

    private var body: JSONObject? {
        switch reach_message_kind(rawValue: UInt32(kind)) {
        case .REACH_MESSAGE_LINK: unsafe u.link.json
        case .REACH_MESSAGE_ADDRESS: unsafe u.address.json
        case .REACH_MESSAGE_ROUTE: unsafe u.route.json
        case .REACH_MESSAGE_RULE: unsafe u.rule.json
        case .REACH_MESSAGE_NEXTHOP: unsafe u.nexthop.json
        case .REACH_MESSAGE_NETCONF: unsafe u.netconf.json
        case .REACH_MESSAGE_ERROR, .REACH_MESSAGE_DONE: unsafe u.error.json
        default: nil
        }
    }
}

extension reach_link_message {
    fileprivate var json: JSONObject {
        var object: JSONObject = ["index": index]
        object.setIfPresent("name", has(.REACH_LINK_NAME) ? cText(of: name) : nil)
        object.setIfPresent("kind", has(.REACH_LINK_KIND) ? cText(of: kind) : nil)
        object.add(["family": family, "hardwareType": hardware_type])
        object.setIfPresent("hardwareAddress", hardwareAddressText)
        object.set("flags", flags)
        object.setIfPresent("mtu", has(.REACH_LINK_MTU) ? mtu : nil)
        object.setIfPresent("operstate", operstateText)
        object.setIfPresent("carrier", has(.REACH_LINK_CARRIER) ? carrier != 0 : nil)
        object.setIfPresent("master", has(.REACH_LINK_MASTER) ? master : nil)
        object.setIfPresent("lower", has(.REACH_LINK_LOWER) ? lower : nil)
        object.setIfPresent("lowerNetns", has(.REACH_LINK_LOWER_NETNS) ? lower_netns : nil)
        object.setIfPresent("slaveState", has(.REACH_LINK_SLAVE_STATE) ? slave_state : nil)
        object.set("wireless", has(.REACH_LINK_WIRELESS))
        return object
    }
}

extension reach_address_message {
    fileprivate var json: JSONObject {
        let hasLifetime = present & reach_address_attribute.REACH_ADDRESS_LIFETIME.rawValue != 0
        var object: JSONObject = ["interface": interface_index, "family": family]
        object.setIfPresent("address", address.text)
        object.set("prefixLength", prefix_length)
        object.setIfPresent("peer", peer.text)
        object.setIfPresent("broadcast", broadcast.text)
        object.add(["scope": scopeName(scope), "flags": flags])
        object.setIfPresent("valid", hasLifetime ? valid : nil)
        object.setIfPresent("preferred", hasLifetime ? preferred : nil)
        return object
    }
}

extension reach_route_message {
    fileprivate var json: JSONObject {
        let prefix = prefixText(destination, destination_length, family: family)
        var object: JSONObject = [
            "family": family, "type": typeText, "destination": prefix ?? "default",
        ]
        object.setIfPresent("from", prefixText(source_prefix, source_length, family: family))
        object.setIfPresent("gateway", gateway.text)
        object.setIfPresent("interface", value(.REACH_ROUTE_OUTPUT, output))
        object.setIfPresent("input", value(.REACH_ROUTE_INPUT, input))
        object.add([
            "table": table, "protocol": protocolName(self.protocol), "scope": scopeName(scope),
            "tos": tos, "flags": flags,
        ])
        object.setIfPresent("source", preferred_source.text)
        object.setIfPresent("priority", value(.REACH_ROUTE_PRIORITY, priority))
        object.setIfPresent("nexthopId", value(.REACH_ROUTE_NEXTHOP_ID, nexthop_id))
        object.setIfPresent("mark", value(.REACH_ROUTE_MARK, mark))
        object.setIfPresent("uid", value(.REACH_ROUTE_UID, uid))
        object.setIfPresent("expires", value(.REACH_ROUTE_EXPIRES, expires))
        object.setIfPresent("legCount", value(.REACH_ROUTE_MULTIPATH, leg_count))
        object.setIfPresent("legs", value(.REACH_ROUTE_MULTIPATH, keptLegs.map(\.json)))
        return object
    }

    /// The value of an attribute; nil if the message lacks it.
    private func value<Value>(_ attribute: reach_route_attribute, _ value: Value) -> Value? {
        present & attribute.rawValue != 0 ? value : nil
    }
}

extension reach_leg {
    fileprivate var json: JSONObject {
        var object: JSONObject = ["interface": interface_index]
        object.setIfPresent("gateway", gateway.text)
        object.add(["flags": flags, "weight": UInt32(hops) + 1])
        return object
    }
}

extension reach_rule_message {
    /// FR_ACT_GOTO of linux/fib_rules.h.
    private static var goto: UInt8 { 2 }

    /// All selectors of the rule; those that the decoder doesn't read are counted.
    fileprivate var json: JSONObject {
        let hasMark = mark != 0 || mark_mask != 0
        let hasUID = first_uid != 0 || last_uid != UInt32.max
        var object: JSONObject = ["priority": priority, "family": family]
        object.setIfPresent("from", prefixText(source, source_length, family: family))
        object.setIfPresent("to", prefixText(destination, destination_length, family: family))
        object.setIfPresent("input", name(input))
        object.setIfPresent("output", name(output))
        object.setIfPresent("mark", hasMark ? mark : nil)
        object.setIfPresent("markMask", hasMark ? mark_mask : nil)
        object.setIfPresent("firstUID", hasUID ? first_uid : nil)
        object.setIfPresent("lastUID", hasUID ? last_uid : nil)
        object.setIfPresent("ipProtocol", self.protocol == 0 ? nil : self.protocol)
        object.setIfPresent("tos", tos == 0 ? nil : tos)
        object.setIfPresent("vrf", vrf == 0 ? nil : true)
        object.setIfPresent("otherSelectors", others == 0 ? nil : others)
        object.add(["flags": flags, "action": action, "table": table])
        object.setIfPresent("goto", action == Self.goto ? target : nil)
        object.setIfPresent(
            "suppressPrefixLength", suppress_prefix_length < 0 ? nil : suppress_prefix_length)
        object.setIfPresent("suppressGroup", suppress_group < 0 ? nil : suppress_group)
        return object
    }

    private func name(_ array: some BitwiseCopyable) -> String? {
        let name = cText(of: array)
        return name.isEmpty ? nil : name
    }
}

extension reach_nexthop_message {
    fileprivate var json: JSONObject {
        var object: JSONObject = ["id": id, "family": family]
        object.setIfPresent("gateway", gateway.text)
        object.add([
            "interface": output, "blackhole": blackhole != 0, "groupCount": group_count,
            "protocol": protocolName(self.protocol), "flags": flags,
        ])
        return object
    }
}

extension reach_netconf_message {
    fileprivate var json: JSONObject {
        func isOn(_ value: Int32) -> Bool? { value < 0 ? nil : value != 0 }
        var object: JSONObject = ["family": family, "interface": interface_index]
        object.setIfPresent("forwarding", isOn(forwarding))
        object.setIfPresent("ignoreRoutesWithLinkdown", isOn(ignore_routes_with_linkdown))
        return object
    }
}

extension reach_error_message {
    fileprivate var json: JSONObject {
        let explanation = cText(of: text)
        var object: JSONObject = ["error": error, "offset": offset]
        object.setIfPresent("text", explanation.isEmpty ? nil : explanation)
        return object
    }
}

extension reach_message {
    var kindName: String {
        switch reach_message_kind(rawValue: UInt32(kind)) {
        case .REACH_MESSAGE_LINK: "link"
        case .REACH_MESSAGE_ADDRESS: "address"
        case .REACH_MESSAGE_ROUTE: "route"
        case .REACH_MESSAGE_RULE: "rule"
        case .REACH_MESSAGE_NEXTHOP: "nexthop"
        case .REACH_MESSAGE_NETCONF: "netconf"
        case .REACH_MESSAGE_ERROR: "error"
        case .REACH_MESSAGE_DONE: "done"
        default: "other"
        }
    }

    /// Whether the type is RTM_DEL*.
    ///
    /// Types come in groups of four: NEW, DEL, GET, and SET. Each NEW is a multiple of four
    /// (linux/rtnetlink.h).
    var isDeletion: Bool {
        type >= 16 && type & 3 == 1
    }
}

extension reach_link_message {
    func has(_ attribute: reach_link_attribute) -> Bool {
        present & attribute.rawValue != 0
    }

    var hardwareAddressText: String? {
        guard has(.REACH_LINK_HARDWARE_ADDRESS) else { return nil }
        return unsafe withUnsafeBytes(of: hardware_address) { bytes in
            unsafe bytes.prefix(Int(hardware_address_length))
                .map { hexadecimal($0, digits: 2).dropFirst(2) }.joined(separator: ":")
        }
    }

    /// IF_OPER_* as `ip` writes them.
    var operstateText: String? {
        guard has(.REACH_LINK_OPERSTATE) else { return nil }
        let names = [
            "UNKNOWN", "NOTPRESENT", "DOWN", "LOWERLAYERDOWN", "TESTING", "DORMANT", "UP",
        ]
        return Int(operstate) < names.count ? names[Int(operstate)] : String(operstate)
    }
}

extension reach_route_message {
    /// RTN_* of linux/rtnetlink.h.
    var typeText: String {
        let names = ReachabilityExplanation.Route.types
        return Int(type) < names.count ? names[Int(type)] : String(type)
    }

    /// The legs in the message, at most REACH_LEGS_MAX.
    var keptLegs: [reach_leg] {
        unsafe withUnsafeBytes(of: legs) { bytes in
            let all = unsafe bytes.bindMemory(to: reach_leg.self)
            return unsafe Array(all.prefix(Int(leg_count)))
        }
    }
}

/// RT_SCOPE_* of linux/rtnetlink.h.
func scopeName(_ scope: UInt8) -> String {
    switch scope {
    case 0: "global"
    case 200: "site"
    case 253: "link"
    case 254: "host"
    case 255: "nowhere"
    default: String(scope)
    }
}

/// RTPROT_* of linux/rtnetlink.h.
func protocolName(_ number: UInt8) -> String {
    let names: [UInt8: String] = [
        0: "unspec", 1: "redirect", 2: "kernel", 3: "boot", 4: "static", 8: "gated", 9: "ra",
        10: "mrt", 11: "zebra", 12: "bird", 13: "dnrouted", 14: "xorp", 15: "ntk", 16: "dhcp",
        17: "mrouted", 18: "keepalived", 42: "babel", 99: "openr", 186: "bgp", 187: "isis",
        188: "ospf", 189: "rip", 192: "eigrp",
    ]
    return names[number] ?? String(number)
}

/// A prefix, such as "192.0.2.0/24"; the text of a host has no length, and length 0 gives nil.
func prefixText(_ address: reach_address, _ length: UInt8, family: UInt8) -> String? {
    guard length > 0, let text = address.text else { return nil }
    return length == (family == 2 ? 32 : 128) ? text : "\(text)/\(length)"
}
