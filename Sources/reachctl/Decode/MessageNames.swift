// SPDX-License-Identifier: MIT
import CReach
import CReachInternal
import NetworkReachability

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
        let names = [
            "unspec", "unicast", "local", "broadcast", "anycast", "multicast", "blackhole",
            "unreachable", "prohibit", "throw", "nat", "xresolve",
        ]
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
