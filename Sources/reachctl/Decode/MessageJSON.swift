// SPDX-License-Identifier: MIT
import CReach

/// Messages as JSON, one object each: the header, and the body under the name of its kind.
extension reach_message {
    var json: String {
        var object = JSONObject()
        object.set("kind", kindName)
        object.set("type", type)
        object.set("deleted", isDeletion)
        object.set("flags", flags)
        object.set("sequence", sequence)
        object.set("port", port)
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
        var object = JSONObject()
        object.set("index", index)
        object.setIfPresent("name", nameText)
        object.setIfPresent("kind", kindText)
        object.set("family", family)
        object.set("hardwareType", hardware_type)
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
        let hasLifetime = has(.REACH_ADDRESS_LIFETIME)
        var object = JSONObject()
        object.set("interface", interface_index)
        object.set("family", family)
        object.setIfPresent("address", address.text)
        object.set("prefixLength", prefix_length)
        object.setIfPresent("peer", peer.text)
        object.setIfPresent("broadcast", broadcast.text)
        object.set("scope", scopeName(scope))
        object.set("flags", flags)
        // UINT32_MAX is "for ever" (struct ifa_cacheinfo).
        object.setIfPresent("valid", hasLifetime ? valid : nil)
        object.setIfPresent("preferred", hasLifetime ? preferred : nil)
        return object
    }
}

extension reach_route_message {
    fileprivate var json: JSONObject {
        var object = JSONObject()
        object.set("family", family)
        object.set("type", typeText)
        object.set("destination", destinationText)
        object.setIfPresent("from", prefixText(source_prefix, source_length, family: family))
        object.setIfPresent("gateway", gateway.text)
        object.setIfPresent("interface", has(.REACH_ROUTE_OUTPUT) ? output : nil)
        object.setIfPresent("input", has(.REACH_ROUTE_INPUT) ? input : nil)
        object.set("table", table)
        object.set("protocol", protocolName(self.protocol))
        object.set("scope", scopeName(scope))
        object.set("tos", tos)
        object.set("flags", flags)
        object.setIfPresent("source", preferred_source.text)
        object.setIfPresent("priority", has(.REACH_ROUTE_PRIORITY) ? priority : nil)
        object.setIfPresent("nexthopId", has(.REACH_ROUTE_NEXTHOP_ID) ? nexthop_id : nil)
        object.setIfPresent("mark", has(.REACH_ROUTE_MARK) ? mark : nil)
        object.setIfPresent("uid", has(.REACH_ROUTE_UID) ? uid : nil)
        object.setIfPresent("expires", has(.REACH_ROUTE_EXPIRES) ? expires : nil)
        if has(.REACH_ROUTE_MULTIPATH) {
            object.set("legCount", leg_count)
            object.set("legs", keptLegs.map(\.json))
        }
        return object
    }
}

extension reach_leg {
    fileprivate var json: JSONObject {
        var object = JSONObject()
        object.set("interface", interface_index)
        object.setIfPresent("gateway", gateway.text)
        object.set("flags", flags)
        object.set("weight", UInt32(hops) + 1)
        return object
    }
}

extension reach_rule_message {
    fileprivate var json: JSONObject {
        var object = JSONObject()
        object.set("priority", priority)
        object.set("family", family)
        object.setIfPresent("from", prefixText(source, source_length, family: family))
        object.setIfPresent("to", prefixText(destination, destination_length, family: family))
        object.set("mark", mark)
        object.set("markMask", mark_mask)
        object.set("action", action)
        object.set("table", table)
        object.set("flags", flags)
        return object
    }
}

extension reach_nexthop_message {
    fileprivate var json: JSONObject {
        var object = JSONObject()
        object.set("id", id)
        object.set("family", family)
        object.setIfPresent("gateway", gateway.text)
        object.set("interface", output)
        object.set("blackhole", blackhole != 0)
        object.set("groupCount", group_count)
        object.set("protocol", protocolName(self.protocol))
        object.set("flags", flags)
        return object
    }
}

extension reach_netconf_message {
    fileprivate var json: JSONObject {
        var object = JSONObject()
        object.set("family", family)
        // -1 is "all", -2 "default" (linux/netconf.h).
        object.set("interface", interface_index)
        object.setIfPresent("forwarding", forwarding < 0 ? nil : forwarding != 0)
        object.setIfPresent(
            "ignoreRoutesWithLinkdown",
            ignore_routes_with_linkdown < 0 ? nil : ignore_routes_with_linkdown != 0)
        return object
    }
}

extension reach_error_message {
    fileprivate var json: JSONObject {
        let explanation = String(characters: text)
        var object = JSONObject()
        object.set("error", error)
        object.set("offset", offset)
        object.setIfPresent("text", explanation.isEmpty ? nil : explanation)
        return object
    }
}
