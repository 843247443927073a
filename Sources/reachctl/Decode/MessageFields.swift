// SPDX-License-Identifier: MIT
import CReach
import CReachInternal
import NetworkReachability

// The fields of each message: key and value for JSON, words for text.

extension reach_message {
    /// The message as JSON: the header, and the body under the name of its kind.
    var json: String {
        var object = JSONObject()
        object.set("kind", kindName)
        object.set("type", type)
        object.set("deleted", isDeletion)
        object.set("flags", flags)
        object.set("sequence", sequence)
        object.set("port", port)
        object.setIfPresent(kindName, fields(MessageFieldWriter.Form(isText: false)))
        return object.line
    }

    /// The message as a line in the style of `ip monitor`; a link's name is added to `names`.
    func text(_ names: inout InterfaceNames) -> String {
        if reach_message_kind(rawValue: UInt32(kind)) == .REACH_MESSAGE_LINK {
            unsafe names.learn(u.link)
        }
        guard let fields = fields(MessageFieldWriter.Form(isText: true, names: names)) else {
            return "message type \(type) flags \(hexadecimal(flags))"
        }
        return isDeletion ? "Deleted \(fields.text)" : fields.text
    }

    private func fields(_ form: MessageFieldWriter.Form) -> MessageFieldWriter? {
        switch reach_message_kind(rawValue: UInt32(kind)) {
        case .REACH_MESSAGE_LINK: unsafe u.link.fields(form)
        case .REACH_MESSAGE_ADDRESS: unsafe u.address.fields(form)
        case .REACH_MESSAGE_ROUTE: unsafe u.route.fields(form)
        case .REACH_MESSAGE_RULE: unsafe u.rule.fields(form)
        case .REACH_MESSAGE_NEXTHOP: unsafe u.nexthop.fields(form)
        case .REACH_MESSAGE_NETCONF: unsafe u.netconf.fields(form)
        case .REACH_MESSAGE_ERROR: unsafe u.error.fields(form, isDone: false)
        case .REACH_MESSAGE_DONE: unsafe u.error.fields(form, isDone: true)
        default: nil
        }
    }
}

extension reach_link_message {
    fileprivate func fields(_ form: MessageFieldWriter.Form) -> MessageFieldWriter {
        let names = form.names
        let hasNetns = has(.REACH_LINK_LOWER_NETNS)
        // If the message has a namespace id, `lower` is an index in that namespace.
        let below = has(.REACH_LINK_LOWER) ? "@\(hasNetns ? "if\(lower)" : names[lower])" : ""
        var fields = MessageFieldWriter(
            form,
            textOrder: [
                "index", "flags", "mtu", "master", "operstate", "lowerNetns", "kind",
                "hardwareType", "hardwareAddress", "family", "wireless",
            ])
        fields.add("index", index, "\(index): \(names[index])\(below):")
        fields.add("name", nameText)
        fields.add("kind", kindText, kindText.map { "kind \($0.printable)" })
        fields.add("family", family, family == 0 ? nil : "family \(familyName(family))")
        fields.add("hardwareType", hardware_type, "link/\(hardwareTypeText)")
        fields.add("hardwareAddress", hardwareAddressText, hardwareAddressText)
        fields.add("flags", flags, "<\(flagsText)>")
        fields.add("mtu", has(.REACH_LINK_MTU) ? mtu : nil, "mtu \(mtu)")
        fields.add("operstate", operstateText, operstateText.map { "state \($0)" })
        fields.add("carrier", has(.REACH_LINK_CARRIER) ? carrier != 0 : nil)
        fields.add(
            "master", has(.REACH_LINK_MASTER) ? master : nil,
            master == 0 ? nil : "master \(names[master])")
        fields.add("lower", has(.REACH_LINK_LOWER) ? lower : nil)
        fields.add("lowerNetns", hasNetns ? lower_netns : nil, "link-netnsid \(lower_netns)")
        fields.add("slaveState", has(.REACH_LINK_SLAVE_STATE) ? slave_state : nil)
        let isWireless = has(.REACH_LINK_WIRELESS)
        fields.add("wireless", isWireless, isWireless ? "wireless" : nil)
        return fields
    }
}

extension reach_address_message {
    fileprivate func fields(_ form: MessageFieldWriter.Form) -> MessageFieldWriter {
        let hasLifetime = has(.REACH_ADDRESS_LIFETIME)
        let own = address.text
        let far = peer.text
        let text = [own ?? "none", far.map { "peer \($0)" }].compactMap(\.self)
        let brd = broadcast.text
        var fields = MessageFieldWriter(form)
        fields.add(
            "interface", interface_index, "\(interface_index): \(form.names[interface_index])")
        fields.add("family", family, familyName(family))
        fields.add("address", own)
        fields.add("prefixLength", prefix_length, "\(text.joined(separator: " "))/\(prefix_length)")
        fields.add("peer", far)
        fields.add("broadcast", brd, brd.map { "brd \($0)" })
        fields.add("scope", scopeName(scope), "scope \(scopeName(scope))")
        fields.add("flags", flags, flagsText)
        fields.add("valid", hasLifetime ? valid : nil, "valid_lft \(lifetimeText(valid))")
        fields.add(
            "preferred", hasLifetime ? preferred : nil, "preferred_lft \(lifetimeText(preferred))")
        return fields
    }
}

extension reach_route_message {
    fileprivate func fields(_ form: MessageFieldWriter.Form) -> MessageFieldWriter {
        let names = form.names
        let from = prefixText(source_prefix, source_length, family: family)
        let source = preferred_source.text
        var fields = MessageFieldWriter(
            form,
            textOrder: [
                "type", "destination", "from", "nexthopId", "gateway", "interface", "table",
                "protocol", "scope", "source", "priority", "mark", "uid", "input", "flags",
                "expires", "legs",
            ])
        fields.add("family", family)
        fields.add("type", typeText, type == 1 ? nil : typeText)
        fields.add("destination", destinationText, destinationText)
        fields.add("from", from, from.map { "from \($0)" })
        fields.add("gateway", gateway.text, viaText(gateway))
        fields.add(
            "interface", value(.REACH_ROUTE_OUTPUT, output),
            output == 0 ? nil : "dev \(names[output])")
        fields.add("input", value(.REACH_ROUTE_INPUT, input), "iif \(names[input])")
        fields.add("table", table, table == 254 || table == 0 ? nil : "table \(tableName(table))")
        fields.add("protocol", protocolName(self.protocol), protocolText(self.protocol))
        fields.add(
            "scope", scopeName(scope),
            family == 2 && scope != 0 ? "scope \(scopeName(scope))" : nil)
        fields.add("tos", tos)
        fields.add("flags", flags, flagsText)
        fields.add("source", source, source.map { "src \($0)" })
        fields.add("priority", value(.REACH_ROUTE_PRIORITY, priority), "metric \(priority)")
        fields.add(
            "nexthopId", value(.REACH_ROUTE_NEXTHOP_ID, nexthop_id), "nhid \(nexthop_id)")
        fields.add("mark", value(.REACH_ROUTE_MARK, mark), "mark \(hexadecimal(mark))")
        fields.add("uid", value(.REACH_ROUTE_UID, uid), "uid \(uid)")
        fields.add(
            "expires", value(.REACH_ROUTE_EXPIRES, expires), "expires \(expires / 1000)sec")
        if has(.REACH_ROUTE_MULTIPATH) { addLegs(to: &fields, form) }
        return fields
    }

    /// The value of an attribute; nil if the message lacks it.
    private func value<Value>(_ attribute: reach_route_attribute, _ value: Value) -> Value? {
        has(attribute) ? value : nil
    }

    private func addLegs(to fields: inout MessageFieldWriter, _ form: MessageFieldWriter.Form) {
        let legs = keptLegs.map { legFields($0, form) }
        let left = Int(leg_count) - legs.count
        let words = legs.map(\.text) + (left > 0 ? ["nexthops-left-out \(left)"] : [])
        fields.add("legCount", leg_count)
        fields.add("legs", legs, words.isEmpty ? nil : words.joined(separator: " "))
    }

    private func legFields(_ leg: reach_leg, _ form: MessageFieldWriter.Form) -> MessageFieldWriter
    {
        let output = leg.interface_index
        var fields = MessageFieldWriter(
            form, textOrder: ["flags", "gateway", "interface", "weight"])
        fields.add("interface", output, output == 0 ? nil : "dev \(form.names[output])")
        fields.add("gateway", leg.gateway.text, viaText(leg.gateway))
        fields.add("flags", leg.flags, "nexthop")
        fields.add("weight", UInt32(leg.hops) + 1, "weight \(Int(leg.hops) + 1)")
        return fields
    }

    /// The text of a gateway, with its family if that differs from the route's (RFC 5549).
    private func viaText(_ gateway: reach_address) -> String? {
        gateway.text.map { text in
            gateway.family == family ? "via \(text)" : "via \(familyName(gateway.family)) \(text)"
        }
    }
}

extension reach_rule_message {
    fileprivate func fields(_ form: MessageFieldWriter.Form) -> MessageFieldWriter {
        let from = prefixText(source, source_length, family: family)
        let to = prefixText(destination, destination_length, family: family)
        let mask = mark_mask == UInt32.max ? "" : "/\(hexadecimal(mark_mask))"
        let hasMark = mark != 0 || mark_mask != 0
        // FIB_RULE_INVERT of linux/fib_rules.h.
        let not = flags & 0x2 != 0 ? "not " : ""
        var fields = MessageFieldWriter(
            form, textOrder: ["priority", "flags", "to", "mark", "family", "action"])
        fields.add("priority", priority, "\(priority):")
        fields.add("family", family, "family \(familyName(family))")
        fields.add("from", from)
        fields.add("to", to, to.map { "to \($0)" })
        fields.add("mark", mark, hasMark ? "fwmark \(hexadecimal(mark))\(mask)" : nil)
        fields.add("markMask", mark_mask)
        fields.add("action", action, actionText)
        fields.add("table", table)
        fields.add("flags", flags, "\(not)from \(from ?? "all")")
        return fields
    }
}

extension reach_nexthop_message {
    fileprivate func fields(_ form: MessageFieldWriter.Form) -> MessageFieldWriter {
        let via = gateway.text
        let isBlackhole = blackhole != 0
        var fields = MessageFieldWriter(
            form,
            textOrder: ["id", "groupCount", "gateway", "interface", "blackhole", "protocol"])
        fields.add("id", id, "nexthop id \(id)")
        fields.add("family", family)
        fields.add("gateway", via, via.map { "via \($0)" })
        fields.add("interface", output, output == 0 ? nil : "dev \(form.names[output])")
        fields.add("blackhole", isBlackhole, isBlackhole ? "blackhole" : nil)
        fields.add("groupCount", group_count, group_count == 0 ? nil : "group of \(group_count)")
        fields.add("protocol", protocolName(self.protocol), protocolText(self.protocol))
        fields.add("flags", flags)
        return fields
    }
}

extension reach_netconf_message {
    fileprivate func fields(_ form: MessageFieldWriter.Form) -> MessageFieldWriter {
        // NETCONFA_IFINDEX_ALL and _DEFAULT of linux/netconf.h.
        let device =
            switch interface_index {
            case -1: "all"
            case -2: "default"
            default: form.names[UInt32(bitPattern: interface_index)]
            }
        var fields = MessageFieldWriter(form)
        func addSwitch(_ key: String, _ value: Int32, _ word: String) {
            fields.add(key, value < 0 ? nil : value != 0, "\(word) \(value == 0 ? "off" : "on")")
        }
        fields.add("family", family, "netconf \(familyName(family))")
        fields.add("interface", interface_index, "dev \(device)")
        addSwitch("forwarding", forwarding, "forwarding")
        addSwitch(
            "ignoreRoutesWithLinkdown", ignore_routes_with_linkdown, "ignore_routes_with_linkdown")
        return fields
    }
}

extension reach_error_message {
    fileprivate func fields(_ form: MessageFieldWriter.Form, isDone: Bool) -> MessageFieldWriter {
        let explanation = cText(of: text)
        let word = isDone ? "done" : error == 0 ? "acknowledged" : "error"
        let cause = error == 0 ? "" : " \(error) (\(ReachabilityErrno(rawValue: error)))"
        var fields = MessageFieldWriter(form)
        fields.add("error", error, word + cause)
        fields.add("offset", offset)
        fields.add("text", explanation.isEmpty ? nil : explanation, explanation.printable)
        return fields
    }
}
