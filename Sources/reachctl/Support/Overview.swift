// SPDX-License-Identifier: MIT
import NetworkReachability

/// The overview that `reachctl status` prints: paths to the internet, interfaces, and resolver.
struct Overview {
    private let internet: [(name: String, key: String, report: Report)]
    /// The host; nil with `--interface`, and unless a path may use a tunnel.
    private let host: NetworkHost?
    private let interfaces: [NetworkInterface]
    /// Whether interfaces lead to the internet by themselves, by index; empty with `--interface`.
    private let exits: [UInt32: Bool]
    private let servers: [Report]
    private let search: [String]

    /// Whether the internet is reachable in one of the families.
    var isReachable: Bool { internet.contains { $0.report.snapshot.status.isReachable } }

    init(_ options: TargetOptions, isQuiet: Bool) throws(Failure) {
        let namespace = options.common.namespace
        let families = options.family.map { [$0] } ?? NetworkAddress.Family.allCases
        var targets: [Target] = []
        for family in families {
            var options = options
            options.family = family
            targets.append(try Target("internet", options: options))
        }
        do {
            interfaces = try NetworkInterface.all(in: namespace)
        } catch {
            throw .system(error)
        }
        let all = interfaces
        let isLimited = options.interface != nil
        let exits = isLimited ? [] : all.filter { $0.canBeExit(among: all) }
        let ways = exits.flatMap { exit in targets.map { $0.over(exit) } }
        var anyFamily = options
        anyFamily.family = nil
        let resolver = ResolverConfiguration(at: "/etc/resolv.conf")
        let known = resolver.nameServers
            .compactMap { try? Target($0.text, options: anyFamily) }
        let reports = try Report.all(
            of: targets + ways + known, in: namespace, timeout: 0,
            facts: isQuiet ? [] : options.common.facts())
        internet = zip(families, reports).map { family, report in
            family == .ipv4 ? ("IPv4", "ipv4", report) : ("IPv6", "ipv6", report)
        }
        do {
            let mayUseTunnel = !isLimited && internet.contains { $0.report.snapshot.mayUseTunnel }
            host = mayUseTunnel ? try NetworkHost.current(in: namespace) : nil
        } catch {
            throw .system(error)
        }
        // The reports of an exit follow those of the kernel's own paths, and of the exits before.
        let states = exits.enumerated().map { number, exit in
            let ways = reports.dropFirst((number + 1) * families.count).prefix(families.count)
            return (exit.index, ways.contains { $0.snapshot.status.isReachable })
        }
        // The kernel's own path may use an interface that has no address of its own.
        let used = reports.prefix(isLimited ? 0 : families.count).map(\.snapshot)
            .filter(\.status.isReachable).compactMap(\.interface)
            .filter { $0.interfaceClass != .loopback }
        self.exits = Dictionary(states + used.map { ($0.index, true) }) { $0 || $1 }
        servers = Array(reports.dropFirst(families.count + ways.count))
        search = resolver.searchDomains
    }

    /// The overview as text, in the style of `networkctl status`.
    func lines(_ style: TextStyle) -> [String] {
        let hasExit = exits.values.contains(true)
        let table = aligned(
            interfaces.map { interface in
                let exit = exits[interface.index] == true ? "internet" : ""
                return [
                    interface.name.printable, interface.interfaceClass.rawValue,
                    interface.state.condition.rawValue,
                ] + (hasExit ? [exit] : []) + [interface.addressTexts.joined(separator: " ")]
            })
        let states = servers.map { [$0.target.text.printable, $0.overview(style)] }
        let sections =
            internet.map {
                ($0.name, [$0.report.overview(over: carriers(of: $0.report), style)])
            }
            + [
                ("Interfaces", table), ("Name servers", aligned(states)),
                ("Search", search.isEmpty ? [] : [search.joined(separator: " ").printable]),
            ]
        let width = sections.map(\.0.count).max() ?? 0
        return sections.flatMap { title, lines in
            zip([title] + lines.dropFirst().map { _ in "" }, lines).map { title, line in
                let margin = String(repeating: " ", count: width - title.count)
                return "\(margin)\(title)\(title.isEmpty ? " " : ":") \(line)"
            }
        }
    }

    /// The interfaces that may carry the tunnel of a path; nil without a tunnel, and with
    /// `--interface`.
    private func carriers(of report: Report) -> [NetworkInterface]? {
        host?.carriers(of: report.snapshot)?.map(\.interface)
    }

    var json: JSONObject {
        var ways: JSONObject = [:]
        for (_, key, report) in internet {
            var way = report.json()
            way.set("underlay", carriers(of: report)?.map(\.name))
            ways.set(key, way)
        }
        let interfaces = interfaces.map { interface in
            var object = interface.json()
            object.set("internet", exits[interface.index])
            return object
        }
        let resolver: JSONObject = ["servers": servers.map { $0.json() }, "search": search]
        return ["internet": ways, "interfaces": interfaces, "resolver": resolver]
    }
}

extension NetworkInterface {
    /// Addresses such as "192.0.2.1/24", without %index: the interface's name is beside them.
    var addressTexts: [String] {
        addresses.map { "\($0.address.description.prefix { $0 != "%" })/\($0.prefixLength)" }
    }
}
