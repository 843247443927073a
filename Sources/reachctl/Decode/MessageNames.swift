// SPDX-License-Identifier: MIT
import CReach
import CReachInternal
import NetworkReachability

/// Interface names from the link messages so far.
struct InterfaceNames {
    private var names: [UInt32: String] = [:]

    mutating func learn(_ link: reach_link_message) {
        guard let name = link.nameText else { return }
        names[link.index] = name.printable
    }

    /// The name of an interface; without one, "if7" for index 7, as in `ip`.
    subscript(index: UInt32) -> String {
        names[index] ?? "if\(index)"
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

    var nameText: String? { has(.REACH_LINK_NAME) ? cText(of: name) : nil }
    var kindText: String? { has(.REACH_LINK_KIND) ? cText(of: kind) : nil }

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

    /// IFF_* of linux/if.h in the order of `ip`, which writes NO-CARRIER if RUNNING is missing.
    var flagsText: String {
        let bits: [(UInt32, String)] = [
            (0x8, "LOOPBACK"), (0x2, "BROADCAST"), (0x10, "POINTOPOINT"), (0x1000, "MULTICAST"),
            (0x80, "NOARP"), (0x200, "ALLMULTI"), (0x100, "PROMISC"), (0x400, "MASTER"),
            (0x800, "SLAVE"), (0x4, "DEBUG"), (0x8000, "DYNAMIC"), (0x4000, "AUTOMEDIA"),
            (0x2000, "PORTSEL"), (0x20, "NOTRAILERS"), (0x1, "UP"), (0x10000, "LOWER_UP"),
            (0x20000, "DORMANT"), (0x40000, "ECHO"),
        ]
        let hasNoCarrier = flags & 0x1 != 0 && flags & 0x40 == 0
        let words = (hasNoCarrier ? ["NO-CARRIER"] : []) + names(of: flags, in: bits)
        return words.joined(separator: ",")
    }

    /// The common ARPHRD_* of linux/if_arp.h.
    var hardwareTypeText: String {
        let names: [UInt16: String] = [
            1: "ether", 512: "ppp", 768: "ipip", 769: "tunnel6", 772: "loopback", 776: "sit",
            778: "gre", 801: "ieee802.11", 803: "ieee802.11/radiotap", 65534: "none",
        ]
        return names[hardware_type] ?? "[\(hardware_type)]"
    }
}

extension reach_address_message {
    func has(_ attribute: reach_address_attribute) -> Bool {
        present & attribute.rawValue != 0
    }

    /// IFA_F_* of linux/if_addr.h; an address that is not permanent is dynamic.
    var flagsText: String? {
        let bits: [(UInt32, String)] = [
            (0x1, family == 10 ? "temporary" : "secondary"), (0x2, "nodad"), (0x4, "optimistic"),
            (0x8, "dadfailed"), (0x10, "home"), (0x20, "deprecated"), (0x40, "tentative"),
            (0x100, "mngtmpaddr"), (0x200, "noprefixroute"), (0x400, "autojoin"),
            (0x800, "stable-privacy"),
        ]
        return text(names(of: flags, in: bits) + (flags & 0x80 == 0 ? ["dynamic"] : []))
    }
}

extension reach_route_message {
    func has(_ attribute: reach_route_attribute) -> Bool {
        present & attribute.rawValue != 0
    }

    /// RTN_* of linux/rtnetlink.h.
    var typeText: String {
        let names = [
            "unspec", "unicast", "local", "broadcast", "anycast", "multicast", "blackhole",
            "unreachable", "prohibit", "throw", "nat", "xresolve",
        ]
        return Int(type) < names.count ? names[Int(type)] : String(type)
    }

    /// The destination as `ip` writes it.
    var destinationText: String {
        prefixText(destination, destination_length, family: family) ?? "default"
    }

    /// The RTNH_F_* and RTM_F_* of linux/rtnetlink.h that `ip` writes.
    var flagsText: String? {
        let bits: [(UInt32, String)] = [
            (0x1, "dead"), (0x4, "onlink"), (0x2, "pervasive"), (0x8, "offload"),
            (0x40, "trap"), (0x10, "linkdown"), (0x20, "unresolved"), (0x200, "cache"),
        ]
        return text(names(of: flags, in: bits))
    }

    /// The legs in the message, at most REACH_LEGS_MAX.
    var keptLegs: [reach_leg] {
        unsafe withUnsafeBytes(of: legs) { bytes in
            let all = unsafe bytes.bindMemory(to: reach_leg.self)
            return unsafe Array(all.prefix(Int(leg_count)))
        }
    }
}

extension reach_rule_message {
    /// FR_ACT_* of linux/fib_rules.h.
    var actionText: String {
        switch action {
        case 1: "lookup \(tableName(table))"
        case 2: "goto"
        case 3: "nop"
        case 6: "blackhole"
        case 7: "unreachable"
        case 8: "prohibit"
        default: "action \(action)"
        }
    }
}

/// RT_TABLE_* of linux/rtnetlink.h.
func tableName(_ table: UInt32) -> String {
    switch table {
    case 253: "default"
    case 254: "main"
    case 255: "local"
    default: String(table)
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

/// "proto kernel"; nil for RTPROT_UNSPEC.
func protocolText(_ number: UInt8) -> String? {
    number == 0 ? nil : "proto \(protocolName(number))"
}

/// AF_* as `ip` writes them.
func familyName(_ family: some BinaryInteger) -> String {
    switch family {
    case 0: "unspec"
    case 2: "inet"
    case 7: "bridge"
    case 10: "inet6"
    case 28: "mpls"
    default: "family \(family)"
    }
}

/// A prefix, such as "192.0.2.0/24"; the text of a host has no length, and length 0 gives nil.
func prefixText(_ address: reach_address, _ length: UInt8, family: UInt8) -> String? {
    guard length > 0, let text = address.text else { return nil }
    return length == (family == 2 ? 32 : 128) ? text : "\(text)/\(length)"
}

/// "forever" for UINT32_MAX, as `ip` writes lifetimes.
func lifetimeText(_ seconds: UInt32) -> String {
    seconds == UInt32.max ? "forever" : "\(seconds)sec"
}

/// The words with spaces between them; nil for none.
private func text(_ words: [String]) -> String? {
    words.isEmpty ? nil : words.joined(separator: " ")
}

private func names(of word: UInt32, in bits: [(UInt32, String)]) -> [String] {
    bits.filter { word & $0.0 != 0 }.map(\.1)
}
