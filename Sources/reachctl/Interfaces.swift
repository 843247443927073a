// SPDX-License-Identifier: MIT
import ArgumentParser
import CReach

/// `reachctl interfaces`.
struct Interfaces: Subcommand {
    static let configuration = CommandConfiguration(
        abstract: "List the network interfaces: what they are and whether they can carry a packet.",
        discussion: """
            Columns: index, name, class, state, kind of link (rtnetlink), master; '-' for none.
            """)

    @OptionGroup var options: CommonOptions

    func perform() throws {
        let monitor = try options.monitor()
        let waiter = Waiter()
        var output = Output()
        try monitor.dispatch()
        var interfaces = monitor.interfaces()
        // Every namespace has its loopback interface, so none at all means "not known yet".
        while interfaces.isEmpty {
            _ = try waiter.wait(for: monitor)
            try monitor.dispatch()
            interfaces = monitor.interfaces()
        }
        if options.json {
            for interface in interfaces { try output.line(interface.json) }
        } else {
            for line in Interfaces.table(interfaces) { try output.line(line) }
        }
        try output.flush()
    }

    private static func table(_ interfaces: [reach_interface]) -> [String] {
        var names: [UInt32: String] = [:]
        for interface in interfaces { names[interface.index] = interface.label }
        let rows =
            [["INDEX", "NAME", "CLASS", "STATE", "KIND", "MASTER"]]
            + interfaces.map { interface in
                let kind = String(characters: interface.kind).printable
                return [
                    String(interface.index), interface.label, className(interface.interface_class),
                    interface.stateNames.isEmpty
                        ? "-" : interface.stateNames.joined(separator: ","),
                    kind.isEmpty ? "-" : kind,
                    interface.master == 0
                        ? "-" : names[interface.master] ?? "if\(interface.master)",
                ]
            }
        let widths = rows[0].indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
        return rows.map { row in
            let cells = zip(row, widths).map { cell, width in
                cell + String(repeating: " ", count: width - cell.count)
            }
            let line = cells.joined(separator: "  ")
            return String(line[...(line.lastIndex { $0 != " " } ?? line.startIndex)])
        }
    }
}

extension reach_interface {
    fileprivate var label: String { String(characters: name).printable }

    fileprivate var stateNames: [String] {
        let names: [(reach_interface_state, String)] = [
            (.REACH_INTERFACE_UP, "up"), (.REACH_INTERFACE_RUNNING, "running"),
            (.REACH_INTERFACE_LOWER_UP, "lowerUp"), (.REACH_INTERFACE_DORMANT, "dormant"),
            (.REACH_INTERFACE_POINT_TO_POINT, "pointToPoint"), (.REACH_INTERFACE_USABLE, "usable"),
        ]
        return names.filter { state & $0.0.rawValue != 0 }.map(\.1)
    }

    fileprivate var json: String {
        let kind = String(characters: kind)
        var object = JSONObject()
        object.set("index", index)
        object.set("name", String(characters: name))
        object.set("class", className(interface_class))
        object.set("state", stateNames)
        object.set("kind", kind.isEmpty ? nil : kind)
        object.set("master", master == 0 ? nil : master)
        return object.line
    }
}
