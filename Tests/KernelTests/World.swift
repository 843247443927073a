// SPDX-License-Identifier: MIT
import CReach
import Testing

/// SplitMix64: the same numbers for the same seed, everywhere.
struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var z = state
        z = (z ^ (z >> 30)) &* 0xbf58_476d_1ce4_e5b9
        z = (z ^ (z >> 27)) &* 0x94d0_49bb_1331_11eb
        return z ^ (z >> 31)
    }

    mutating func chance(_ percent: Int) -> Bool {
        Int.random(in: 0..<100, using: &self) < percent
    }

    mutating func pick<Element>(_ elements: [Element]) -> Element {
        elements[Int.random(in: 0..<elements.count, using: &self)]
    }
}

/// Two namespaces with links, addresses, routes, and rules, and random changes of them.
///
/// An operation may fail, for example on a link that is gone. Failures are part of the sequence.
struct World {
    let lab: Lab
    var random: SeededGenerator
    /// Rules that were added, to be deleted again.
    private var rules: [String] = []
    /// The address that `fitting()` added last.
    private var fitted: String?

    init(seed: UInt64) throws {
        random = SeededGenerator(seed: seed)
        lab = try Lab(links: 3)
        // A host probes its IPv6 routers and uses another one meanwhile, without an event. With
        // forwarding it uses the first. See rt6_score_route() and RT6_LOOKUP_F_REACHABLE.
        try lab.host.set("ipv6/conf/all/forwarding", to: "1")
        _ = try? lab.host.ip("link add br0 type bridge")
        _ = try? lab.host.ip("link set br0 up")
        _ = try? lab.host.ip("link add mac0 link eth2 type macvlan")
        // Addresses may be used before duplicate address detection ends (RFC 4429), and with some
        // seeds even be preferred.
        _ = try? lab.host.set("ipv6/conf/all/optimistic_dad", to: "1")
        _ = try? lab.host.set("ipv6/conf/eth1/use_optimistic", to: seed % 3 == 0 ? "1" : "0")
    }

    /// Targets that the operations affect, and some that they don't.
    static let targets: [Target] = {
        var targets: [Target] = [.internet, .localWiFi]
        for remote in [
            "192.0.2.1", "192.0.2.5", "192.0.2.20", "192.9.9.9", "198.18.0.1", "8.8.8.8",
            "200.1.1.1", "10.9.0.1", "10.9.0.2", "10.9.1.1", "10.9.1.2", "10.9.2.2", "10.9.2.3",
            "10.9.0.255", "10.8.0.1", "10.8.0.2", "127.0.0.1", "224.0.0.1", "169.254.0.0",
            "169.254.1.2", "169.254.7.7", "224.0.0.251",
            "::ffff:192.0.2.1", "2001:db8:ffff::1", "2001:db8:ffff::5", "2001:db8:eeee::1",
            "2600::1", "2001:db8:9::1", "2001:db8:9::2", "2001:db8:9:1::1", "2001:db8:9:1::2",
            "2001:db8:9:2::2", "::1", "ff02::1%2", "fe80::2%2", "fe80::2%3", "ff05::fb", "ff0e::fb",
        ] {
            targets.append(.address(remote))
        }
        for (local, remote) in [
            ("10.9.0.1", "192.0.2.1"), ("10.9.1.1", "8.8.8.8"), ("2001:db8:9::1", "2600::1"),
            ("2001:db8:9:1::1", "2001:db8:ffff::1"),
        ] {
            targets.append(.pair(local, remote))
        }
        for remote in ["192.0.2.1", "8.8.8.8", "2001:db8:ffff::1", "2600::1"] {
            targets.append(Target(remote: remote, mark: 7))
            targets.append(Target(remote: remote, uid: 65534))
            for interface in ["eth0", "eth1", "lan2", "br0"] {
                targets.append(Target(remote: remote, interfaceName: interface))
            }
        }
        targets.append(Target(remote: "10.9.2.2", interfaceName: "eth2"))
        targets.append(Target(kind: .REACH_TARGET_INTERNET, mark: 7))
        targets.append(Target(kind: .REACH_TARGET_INTERNET, interfaceName: "eth1"))
        return targets
    }()

    /// Performs one to three random operations, and returns their descriptions.
    mutating func step() -> [String] {
        (0..<random.pick([1, 1, 1, 2, 3])).map { _ in operate() }
    }

    private mutating func operate() -> String {
        switch Int.random(in: 0..<100, using: &random) {
        case 0..<10: return host("link set \(interface()) \(random.chance(65) ? "up" : "down")")
        case 10..<18:
            return peer("link set p\(random.pick([0, 1, 2])) \(random.chance(65) ? "up" : "down")")
        case 18..<32: return host(address())
        case 32..<50: return host(route4())
        case 50..<66: return host(route6())
        case 66..<74: return host(rule())
        case 74..<81: return host(nexthop())
        case 81..<85: return routeOverNexthop()
        case 85..<90: return sysctl()
        case 90..<95: return link()
        case 95..<98: return fit()
        default: return storm()
        }
    }

    private func host(_ command: String) -> String {
        do {
            try lab.host.ip(command)
            return "ip \(command)"
        } catch {
            return "ip \(command) (fails)"
        }
    }

    private func peer(_ command: String) -> String {
        _ = try? lab.peer.ip(command)
        return "peer: ip \(command)"
    }

    private mutating func interface() -> String {
        random.pick(["eth0", "eth0", "eth1", "eth1", "eth2", "lan2", "br0", "mac0", "lo"])
    }

    private mutating func address() -> String {
        let device = interface()
        let subnet = random.pick([0, 0, 1, 1, 2])
        let number = random.pick([1, 1, 3])
        let verb = random.chance(70) ? "add" : "del"
        switch Int.random(in: 0..<24, using: &random) {
        case 20...: return fitting()
        case 0: return "addr flush dev \(device)"
        case 1: return "-6 addr flush dev \(device)"
        case 2: return "addr \(verb) 10.8.0.1/32 dev \(device)"
        case 3: return "addr \(verb) 169.254.1.1/16 dev \(device) scope link"
        case 4:
            return "-6 addr change 2001:db8:9:\(subnet)::\(number)/64 dev \(device) preferred_lft 0"
        case 5:
            let flag = verb == "add" ? random.pick(["", " optimistic"]) : ""
            return "-6 addr \(verb) 2001:db8:9:\(subnet)::7/64 dev \(device)\(flag)"
        case 6..<13: return "addr \(verb) 10.9.\(subnet).\(number)/24 dev \(device)"
        default:
            return "addr \(verb) 2001:db8:9:\(subnet)::\(number)/64 dev \(device)"
                + (verb == "add" ? " nodad" : "")
        }
    }

    /// Adds an address that suits some targets better as a source, or deprecates or deletes it.
    private mutating func fitting() -> String {
        if let address = fitted {
            fitted = nil
            return random.chance(70)
                ? "-6 addr change \(address) preferred_lft 0" : "-6 addr del \(address)"
        }
        let prefix = random.pick(["2600::9/16", "2a00::9/32", "2001:db8:ffff::9/64"])
        let device = random.pick(["eth0", "eth0", "eth1", interface()])
        let address = "\(prefix) dev \(device) nodad noprefixroute"
        fitted = address
        return "-6 addr change \(address) preferred_lft forever"
    }

    /// Calls `fitting()`, and then changes a route or a rule.
    mutating func fit() -> String {
        host(fitting()) + "; " + host(random.chance(50) ? route6() : rule())
    }

    private mutating func route4() -> String {
        let prefix = random.pick([
            "default", "default", "0.0.0.0/1", "128.0.0.0/1", "192.0.0.0/8", "192.0.2.0/24",
            "192.0.2.0/28", "192.0.2.1", "198.18.0.0/15", "10.9.0.2", "10.8.0.0/24",
        ])
        let number = random.pick([0, 0, 1, 1, 2])
        let gateway = "via 10.9.\(number).2"
        let way = random.pick([
            gateway, gateway, gateway, "dev \(interface())", "\(gateway) src 10.9.\(number).1",
            "\(gateway) dev eth\(number) onlink",
            // If answers don't name the encapsulation, a fibmatch and a plain lookup differ in "direct".
            Features.encapsulation
                ? "encap ip id 7 dst 10.9.\(number).2 dev eth\(number)" : gateway,
            "nhid \(random.pick([1, 2, 3]))",
            "nhid 10",
            "via inet6 2001:db8:9:\(number)::2 dev eth\(number)",
            "nexthop via 10.9.0.2 nexthop via 10.9.1.2 weight 3", "refusal",
        ])
        return route("", prefix, way)
    }

    private mutating func route6() -> String {
        let prefix = random.pick([
            "default", "default", "default from 2001:db8:9:\(random.pick(["", "1:"])):/64",
            "2001:db8:ffff::/48 from 2001:db8:9::/64", "2000::/3", "2001:db8:ffff::/48",
            "2001:db8:ffff::1",
            "2001:db8:eeee::/48", "2600::/16", "2001:db8:9::2",
        ])
        let number = random.pick([0, 0, 1, 1, 2])
        let gateway = "via 2001:db8:9:\(number)::2"
        // Linux 6.18 keeps one dst per CPU and nexthop object (rt6_get_pcpu_route, net/ipv6/route.c),
        // whichever route it was made for. If a default route and a longer prefix share the object,
        // the effect of suppress_prefixlength depends on the previous lookup of that CPU.
        let object = prefix.hasPrefix("default") ? gateway : "nhid \(random.pick([61, 62, 70]))"
        let way = random.pick([
            gateway, gateway, gateway, "dev \(interface())", object, object,
            "\(gateway) src 2001:db8:9:\(number)::1", "via fe80::2 dev eth\(number)",
            "nexthop via 2001:db8:9::2 nexthop via 2001:db8:9:1::2", "refusal",
        ])
        return route("-6 ", prefix, way)
    }

    private mutating func route(_ family: String, _ prefix: String, _ way: String) -> String {
        // IPv4 picks among default routes of one metric by the neighbor state of their routers.
        let verbs =
            prefix.hasPrefix("default")
            ? ["add", "replace", "del"] : ["add", "replace", "append", "del"]
        let verb = random.pick(verbs)
        let table = random.pick(["", "", "", " table 100", " table 101"])
        let metric = random.pick(["", "", " metric 100", " metric 5000"])
        if verb == "del" && random.chance(60) { return "\(family)route del \(prefix)\(table)" }
        if way == "refusal" {
            let type = random.pick(["unreachable", "blackhole", "prohibit", "throw"])
            return "\(family)route \(verb) \(type) \(prefix)\(metric)\(table)"
        }
        if !family.isEmpty && random.chance(15) {
            let gateway = "via 2001:db8:9:\(random.pick([0, 1, 2]))::2"
            // Like routes of router advertisements, these end before the kernel announces it. They
            // are never legs of a multipath route: whether the kernel still uses an expired leg
            // depends on which leg is first (fib6_select_path), and it announces neither.
            let verb = verb == "append" ? "add" : verb
            return "\(family)route \(verb) \(prefix) \(gateway) metric 77\(table) expires 2"
        }
        return "\(family)route \(verb) \(prefix) \(way)\(metric)\(table)"
    }

    private mutating func rule() -> String {
        if !rules.isEmpty && random.chance(50) {
            let rule = rules.remove(at: Int.random(in: 0..<rules.count, using: &random))
            return rule.replacing(" add ", with: " del ")
        }
        let six = random.chance(40)
        let selector = random.pick(
            six
                ? ["to 2001:db8:ffff::/48", "to 2000::/3", "from 2001:db8:9::1"]
                : ["to 192.0.2.0/24", "to 192.0.2.5", "from 10.9.0.1", "to 10.9.0.0/16"]
        )
        let who = random.pick([
            selector, selector, "fwmark 7", "not fwmark 7", "uidrange 65534-65534", "from all",
            "oif eth1",
        ])
        let action = random.pick([
            "lookup 100", "lookup 100", "lookup 101", "lookup main suppress_prefixlength 0",
            "unreachable", "prohibit", "blackhole", "goto 32766",
        ])
        let rule =
            "\(six ? "-6" : "-4") rule add priority \(random.pick([100, 200, 300])) \(who) \(action)"
        rules.append(rule)
        return rule
    }

    private mutating func nexthop() -> String {
        let verb = random.pick(["add", "replace", "replace", "del"])
        let number = random.pick([0, 1, 2])
        let choice = random.pick([
            ("1", "via 10.9.0.2 dev eth0"), ("2", "via 10.9.1.2 dev eth1"),
            ("3", random.pick(["blackhole", "dev eth0", "via 10.9.2.2 dev eth2"])),
            ("1", "via 10.9.\(number).2 dev eth\(number)"),
            ("10", random.pick(["group 1", "group 2", "group 1/2", "group 1,3/2"])),
            ("61", "via 2001:db8:9::2 dev eth0"), ("62", "via 2001:db8:9:1::2 dev eth1"),
            ("61", "via 2001:db8:9:\(number)::2 dev eth\(number)"),
            ("70", random.pick(["group 61", "group 62", "group 61/62"])),
        ])
        return verb == "del"
            ? "nexthop del id \(choice.0)" : "nexthop \(verb) id \(choice.0) \(choice.1)"
    }

    private mutating func routeOverNexthop() -> String {
        let number = random.pick([0, 1])
        let (object, route) =
            random.chance(60)
            ? (
                "1 via 10.9.\(number).2",
                "route replace \(random.pick(["default", "192.0.2.0/24"])) nhid 1"
            )
            : ("61 via 2001:db8:9:\(number)::2", "-6 route replace 2001:db8:ffff::/48 nhid 61")
        return host("nexthop replace id \(object) dev eth\(number)") + "; " + host(route)
    }

    private mutating func sysctl() -> String {
        let device = random.pick(["all", "eth0", "eth1"])
        // The monitor can't follow a setting that the kernel does not announce.
        let device6 = Features.linkdownAnnounced ? device : "all"
        let setting = random.pick([
            "ipv4/conf/\(device)/ignore_routes_with_linkdown",
            "ipv6/conf/\(device6)/ignore_routes_with_linkdown",
            "ipv6/route/skip_notify_on_dev_down", "ipv4/nexthop_compat_mode",
            "ipv6/conf/\(random.pick(["eth0", "eth1"]))/disable_ipv6",
        ])
        // IPv6 is rarely disabled, so that it is still tested.
        let value =
            setting.hasSuffix("disable_ipv6") && random.chance(70) ? "0" : random.pick(["0", "1"])
        _ = try? lab.host.set(setting, to: value)
        return "\(setting) = \(value)"
    }

    private mutating func link() -> String {
        let number = random.pick([0, 1, 2])
        switch Int.random(in: 0..<10, using: &random) {
        case 0: return host("link del \(random.pick(["eth\(number)", "mac0", "br0"]))")
        case 1: return host("link add br0 type bridge") + "; " + host("link set br0 up")
        case 2: return host("link add mac0 link eth\(number) type macvlan")
        case 3: return host("link set eth\(number) master br0")
        case 4: return host("link set eth\(number) nomaster")
        case 5: return host(random.pick(["link set eth2 name lan2", "link set lan2 name eth2"]))
        case 6: return host("link set eth\(number) mode \(random.pick(["dormant", "default"]))")
        case 7: return host("link set eth\(number) state up")
        default:
            // An existing cable stays, and gets its addresses back.
            do { try lab.cable(number) } catch {}
            do { try lab.address(number) } catch {}
            do { try lab.defaultRoute(number) } catch {}
            return "cable and default route \(number)"
        }
    }
}
