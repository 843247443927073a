// SPDX-License-Identifier: MIT
import CReach
import NetworkReachability

/// Messages in the style of `ip monitor`, one line each.
extension reach_message {
    func text(_ names: inout InterfaceNames) -> String {
        var words: [String] = isDeletion ? ["Deleted"] : []
        switch reach_message_kind(rawValue: UInt32(kind)) {
        case .REACH_MESSAGE_LINK:
            unsafe names.learn(u.link)
            unsafe words += u.link.words(names)
        case .REACH_MESSAGE_ADDRESS: unsafe words += u.address.words(names)
        case .REACH_MESSAGE_ROUTE: unsafe words += u.route.words(names)
        case .REACH_MESSAGE_RULE: unsafe words += u.rule.words
        case .REACH_MESSAGE_NEXTHOP: unsafe words += u.nexthop.words(names)
        case .REACH_MESSAGE_NETCONF: unsafe words += u.netconf.words(names)
        case .REACH_MESSAGE_ERROR: unsafe words += u.error.words(isDone: false)
        case .REACH_MESSAGE_DONE: unsafe words += u.error.words(isDone: true)
        default: words = ["message", "type", String(type), "flags", hexadecimal(flags)]
        }
        return words.joined(separator: " ")
    }
}

extension reach_link_message {
    fileprivate func words(_ names: InterfaceNames) -> [String] {
        var label = names[index]
        if has(.REACH_LINK_LOWER) {
            // The index is another namespace's if the message says so.
            label += "@" + (has(.REACH_LINK_LOWER_NETNS) ? "if\(lower)" : names[lower])
        }
        var words = ["\(index):", "\(label):", "<\(flagsText)>"]
        if has(.REACH_LINK_MTU) { words += ["mtu", String(mtu)] }
        if has(.REACH_LINK_MASTER), master != 0 { words += ["master", names[master]] }
        if let operstateText { words += ["state", operstateText] }
        if has(.REACH_LINK_LOWER_NETNS) { words += ["link-netnsid", String(lower_netns)] }
        if let kindText { words += ["kind", kindText.printable] }
        words.append("link/\(hardwareTypeText)")
        if let hardwareAddressText { words.append(hardwareAddressText) }
        if family != 0 { words += ["family", familyName(family)] }
        if has(.REACH_LINK_WIRELESS) { words.append("wireless") }
        return words
    }

    /// ARPHRD_* of linux/if_arp.h, those that are common.
    private var hardwareTypeText: String {
        let names: [UInt16: String] = [
            1: "ether", 512: "ppp", 768: "ipip", 769: "tunnel6", 772: "loopback", 776: "sit",
            778: "gre", 801: "ieee802.11", 803: "ieee802.11/radiotap", 65534: "none",
        ]
        return names[hardware_type] ?? "[\(hardware_type)]"
    }
}

extension reach_address_message {
    fileprivate func words(_ names: InterfaceNames) -> [String] {
        var words = ["\(interface_index):", names[interface_index], familyName(family)]
        let own = address.text ?? "none"
        if let peer = peer.text {
            words += [own, "peer", "\(peer)/\(prefix_length)"]
        } else {
            words.append("\(own)/\(prefix_length)")
        }
        if has(.REACH_ADDRESS_BROADCAST), let text = broadcast.text { words += ["brd", text] }
        words += ["scope", scopeName(scope)] + flagNames
        if has(.REACH_ADDRESS_LIFETIME) {
            words += ["valid_lft", lifetimeText(valid), "preferred_lft", lifetimeText(preferred)]
        }
        return words
    }
}

extension reach_route_message {
    fileprivate func words(_ names: InterfaceNames) -> [String] {
        var words = type == 1 ? [] : [typeText]
        words.append(destinationText)
        if let from = prefixText(source_prefix, source_length, family: family) {
            words += ["from", from]
        }
        if has(.REACH_ROUTE_NEXTHOP_ID) { words += ["nhid", String(nexthop_id)] }
        words += hopWords(gateway, output, names)
        if table != 254 && table != 0 { words += ["table", tableName(table)] }
        if self.protocol != 0 { words += ["proto", protocolName(self.protocol)] }
        if family == 2 && scope != 0 { words += ["scope", scopeName(scope)] }
        if let source = preferred_source.text { words += ["src", source] }
        if has(.REACH_ROUTE_PRIORITY) { words += ["metric", String(priority)] }
        if has(.REACH_ROUTE_MARK) { words += ["mark", hexadecimal(mark)] }
        if has(.REACH_ROUTE_UID) { words += ["uid", String(uid)] }
        if has(.REACH_ROUTE_INPUT) { words += ["iif", names[input]] }
        words += flagNames
        if has(.REACH_ROUTE_EXPIRES) { words += ["expires", "\(expires / 1000)sec"] }
        for leg in keptLegs {
            words.append("nexthop")
            words += hopWords(leg.gateway, leg.interface_index, names)
            words += ["weight", String(Int(leg.hops) + 1)]
        }
        let left = Int(leg_count) - keptLegs.count
        return left > 0 ? words + ["nexthops-left-out", String(left)] : words
    }

    private func hopWords(
        _ gateway: reach_address, _ output: UInt32, _ names: InterfaceNames
    ) -> [String] {
        var words: [String] = []
        if let text = gateway.text {
            words +=
                gateway.family == family
                ? ["via", text] : ["via", familyName(gateway.family), text]
        }
        return output == 0 ? words : words + ["dev", names[output]]
    }
}

extension reach_rule_message {
    fileprivate var words: [String] {
        // FIB_RULE_INVERT and FR_ACT_* of linux/fib_rules.h.
        var words = ["\(priority):"] + (flags & 0x2 != 0 ? ["not"] : [])
        words += ["from", prefixText(source, source_length, family: family) ?? "all"]
        if let to = prefixText(destination, destination_length, family: family) {
            words += ["to", to]
        }
        if mark != 0 || mark_mask != 0 {
            let mask = mark_mask == UInt32.max ? "" : "/\(hexadecimal(mark_mask))"
            words += ["fwmark", hexadecimal(mark) + mask]
        }
        return words + ["family", familyName(family)] + actionWords
    }

    private var actionWords: [String] {
        switch action {
        case 1: ["lookup", tableName(table)]
        case 2: ["goto"]
        case 3: ["nop"]
        case 6: ["blackhole"]
        case 7: ["unreachable"]
        case 8: ["prohibit"]
        default: ["action", String(action)]
        }
    }
}

extension reach_nexthop_message {
    fileprivate func words(_ names: InterfaceNames) -> [String] {
        var words = ["nexthop", "id", String(id)]
        if group_count > 0 { words += ["group", "of", String(group_count)] }
        if let text = gateway.text { words += ["via", text] }
        if output != 0 { words += ["dev", names[output]] }
        if blackhole != 0 { words.append("blackhole") }
        if self.protocol != 0 { words += ["proto", protocolName(self.protocol)] }
        return words
    }
}

extension reach_netconf_message {
    fileprivate func words(_ names: InterfaceNames) -> [String] {
        let device =
            switch interface_index {
            case -1: "all"
            case -2: "default"
            default: names[UInt32(bitPattern: interface_index)]
            }
        var words = ["netconf", familyName(family), "dev", device]
        if forwarding >= 0 { words += ["forwarding", forwarding == 0 ? "off" : "on"] }
        if ignore_routes_with_linkdown >= 0 {
            words += [
                "ignore_routes_with_linkdown", ignore_routes_with_linkdown == 0 ? "off" : "on",
            ]
        }
        return words
    }
}

extension reach_error_message {
    fileprivate func words(isDone: Bool) -> [String] {
        var words = [isDone ? "done" : error == 0 ? "acknowledged" : "error"]
        if error != 0 { words += [String(error), "(\(ReachabilityErrno(rawValue: error)))"] }
        let explanation = String(characters: text)
        return explanation.isEmpty ? words : words + [explanation.printable]
    }
}
