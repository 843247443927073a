// SPDX-License-Identifier: MIT

import CReach
import CReachInternal
import NetworkReachability

// What the library reads of each message. An absent attribute has no member.

extension reach_message {
    /// The message as JSON: the header, and the body under the name of its kind.
    var json: String {
        let object = JSONObject(present: [
            "kind": kindName, "type": type, "deleted": isDeletion, "flags": flags,
            "sequence": sequence, "port": port, kindName: body,
        ])
        return object.line
    }

    private var body: JSONObject? {
        switch reach_message_kind(rawValue: UInt32(kind)) {
        case .REACH_MESSAGE_LINK: unsafe u.link.json
        case .REACH_MESSAGE_ADDRESS: unsafe u.address.json
        case .REACH_MESSAGE_ROUTE: unsafe u.route.json
        case .REACH_MESSAGE_RULE: unsafe u.rule.json
        case .REACH_MESSAGE_NETCONF: unsafe u.netconf.json
        case .REACH_MESSAGE_ERROR, .REACH_MESSAGE_DONE: unsafe ["error": u.error.error]
        default: nil
        }
    }
}

extension reach_link_message {
    fileprivate var json: JSONObject {
        JSONObject(present: [
            "index": index, "name": cText(of: name).when(has(.REACH_LINK_NAME)),
            "kind": cText(of: kind).when(has(.REACH_LINK_KIND)), "family": family,
            "hardwareType": hardware_type, "hardwareAddress": hardwareAddressText, "flags": flags,
            "mtu": mtu.when(has(.REACH_LINK_MTU)), "operstate": operstateText,
            "carrier": (carrier != 0).when(has(.REACH_LINK_CARRIER)),
            "master": master.when(has(.REACH_LINK_MASTER)),
            "lower": lower.when(has(.REACH_LINK_LOWER)),
            "lowerNetns": lower_netns.when(has(.REACH_LINK_LOWER_NETNS)),
            "slaveState": slave_state.when(has(.REACH_LINK_SLAVE_STATE)),
            "wireless": has(.REACH_LINK_WIRELESS),
        ])
    }
}

extension reach_address_message {
    fileprivate var json: JSONObject {
        JSONObject(present: [
            "interface": interface_index, "family": family, "address": address.text,
            "prefixLength": prefix_length, "peer": peer.text, "broadcast": broadcast.text,
            "scope": scopeName(scope), "flags": flags,
        ])
    }
}

extension reach_route_message {
    fileprivate var json: JSONObject {
        func has(_ attribute: reach_route_attribute) -> Bool { present & attribute.rawValue != 0 }
        return JSONObject(present: [
            "family": family, "type": typeText,
            "destination": prefixText(destination, destination_length, family: family) ?? "default",
            "from": prefixText(source_prefix, source_length, family: family),
            "gateway": gateway.text, "interface": output.when(has(.REACH_ROUTE_OUTPUT)),
            "input": input.when(has(.REACH_ROUTE_INPUT)), "table": table,
            "protocol": protocolName(self.protocol), "scope": scopeName(scope), "tos": tos,
            "flags": flags, "source": preferred_source.text,
            "priority": priority.when(has(.REACH_ROUTE_PRIORITY)),
            "nexthopId": nexthop_id.when(has(.REACH_ROUTE_NEXTHOP_ID)),
            "mark": mark.when(has(.REACH_ROUTE_MARK)), "uid": uid.when(has(.REACH_ROUTE_UID)),
            "expires": expires.when(has(.REACH_ROUTE_EXPIRES)),
            "legCount": leg_count.when(has(.REACH_ROUTE_MULTIPATH)),
            "legs": keptLegs.map(\.json).when(has(.REACH_ROUTE_MULTIPATH)),
        ])
    }
}

extension reach_leg {
    fileprivate var json: JSONObject {
        JSONObject(present: [
            "interface": interface_index, "gateway": gateway.text, "flags": flags,
            "weight": UInt32(hops) + 1,
        ])
    }
}

extension reach_rule_message {
    /// FR_ACT_GOTO of linux/fib_rules.h.
    private static var goto: UInt8 { 2 }

    /// All selectors of the rule; those that the decoder doesn't read are counted.
    fileprivate var json: JSONObject {
        let hasMark = mark != 0 || mark_mask != 0
        let hasUID = first_uid != 0 || last_uid != UInt32.max
        return JSONObject(present: [
            "priority": priority, "family": family,
            "from": prefixText(source, source_length, family: family),
            "to": prefixText(destination, destination_length, family: family),
            "input": cTextOrNil(of: input), "output": cTextOrNil(of: output),
            "mark": mark.when(hasMark), "markMask": mark_mask.when(hasMark),
            "firstUID": first_uid.when(hasUID), "lastUID": last_uid.when(hasUID),
            "ipProtocol": self.protocol.when(self.protocol != 0), "tos": tos.when(tos != 0),
            "vrf": true.when(vrf != 0), "otherSelectors": others.when(others != 0),
            "flags": flags, "action": action, "table": table,
            "goto": target.when(action == Self.goto),
            "suppressPrefixLength": suppress_prefix_length.when(suppress_prefix_length >= 0),
            "suppressGroup": suppress_group.when(suppress_group >= 0),
        ])
    }
}

extension reach_netconf_message {
    fileprivate var json: JSONObject {
        JSONObject(present: [
            "family": family, "interface": interface_index,
            "ignoreRoutesWithLinkdown":
                (ignore_routes_with_linkdown != 0).when(ignore_routes_with_linkdown >= 0),
        ])
    }
}

extension JSONValue {
    fileprivate func when(_ isPresent: Bool) -> Self? { isPresent ? self : nil }
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
