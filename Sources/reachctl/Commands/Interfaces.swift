// SPDX-License-Identifier: MIT
import ArgumentParser
import NetworkReachability

/// `reachctl interfaces`.
struct Interfaces: Subcommand {
    static let configuration = CommandConfiguration(
        abstract: "List the network interfaces with their class and state.",
        discussion: """
            Columns: index, name, class, state, kind of link (rtnetlink), master; '-' for none. \
            JSON has the same members, where state is a list, master an index, and null is none.
            """)

    @OptionGroup var options: CommonOptions

    func perform() throws {
        let interfaces: [NetworkInterface]
        do {
            interfaces = try NetworkInterface.all(in: options.namespace)
        } catch {
            throw Failure.system(error)
        }
        var output = Output()
        if options.json {
            for interface in interfaces { try output.line(interface.json.line) }
        } else {
            for line in Interfaces.table(interfaces) { try output.line(line) }
        }
        try output.flush()
    }

    private static func table(_ interfaces: [NetworkInterface]) -> [String] {
        var names: [UInt32: String] = [:]
        for interface in interfaces { names[interface.index] = interface.name.printable }
        let rows =
            [["INDEX", "NAME", "CLASS", "STATE", "KIND", "MASTER"]]
            + interfaces.map { interface in
                let states = interface.stateNames
                return [
                    String(interface.index), interface.name.printable,
                    interface.interfaceClass.rawValue,
                    states.isEmpty ? "-" : states.joined(separator: ","),
                    interface.kind?.printable ?? "-",
                    interface.masterIndex.map { names[$0] ?? "if\($0)" } ?? "-",
                ]
            }
        return aligned(rows)
    }
}

extension NetworkInterface {
    fileprivate var stateNames: [String] {
        let names: [(NetworkInterfaceState, String)] = [
            (.up, "up"), (.running, "running"), (.lowerUp, "lowerUp"), (.dormant, "dormant"),
            (.pointToPoint, "pointToPoint"), (.usable, "usable"),
        ]
        return names.filter { state.contains($0.0) }.map(\.1)
    }

    var json: JSONObject {
        var object = JSONObject()
        object.set("index", index)
        object.set("name", name)
        object.set("class", interfaceClass.rawValue)
        object.set("state", stateNames)
        object.set("kind", kind)
        object.set("master", masterIndex)
        return object
    }
}
