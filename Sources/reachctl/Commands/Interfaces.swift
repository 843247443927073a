// SPDX-License-Identifier: MIT
import ArgumentParser
import CellularRadio
import NetworkReachability

/// `reachctl interfaces`.
struct Interfaces: Subcommand {
    static let configuration = CommandConfiguration(
        commandName: "interfaces",
        abstract: "List the network interfaces with their class and state.",
        discussion: """
            Columns: index, name, class, state, kind of link (rtnetlink), master; '-' for none. \
            JSON has the same members, where state is a list, master an index, and null is none.

            Where ModemManager knows the modem of an interface, the column RADIO has its technology and \
            generation, and JSON the member radio {technology, generation, operator, signal, roaming, \
            state}. It is asked over the system bus, for a second at most, unless another network \
            namespace is given.
            """)

    @OptionGroup var options: CommonOptions

    func perform() throws {
        let interfaces: [NetworkInterface]
        do {
            interfaces = try NetworkInterface.all(in: options.namespace)
        } catch {
            throw Failure.system(error)
        }
        // Names of interfaces are those of this namespace.
        let radio = options.netns == nil ? try Radio().firstState(within: 1000) : .none
        var output = Output()
        if options.json {
            for interface in interfaces {
                try output.line(interface.json(radio?.modem(forInterface: interface.name)).line)
            }
        } else {
            for line in Interfaces.table(interfaces, radio) { try output.line(line) }
        }
        try output.flush()
    }

    private static func table(
        _ interfaces: [NetworkInterface], _ radio: CellularRadioState?
    ) -> [String] {
        let modems = interfaces.map { radio?.modem(forInterface: $0.name) }
        let radios = modems.contains { $0 != nil } ? ["RADIO"] + modems.map { $0?.text ?? "-" } : []
        var names: [UInt32: String] = [:]
        for interface in interfaces { names[interface.index] = interface.name.printable }
        var rows =
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
        for (row, radio) in radios.enumerated() { rows[row].append(radio) }
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

    func json(_ modem: CellularModem? = nil) -> JSONObject {
        var object = JSONObject()
        object.set("index", index)
        object.set("name", name)
        object.set("class", interfaceClass.rawValue)
        object.set("state", stateNames)
        object.set("kind", kind)
        object.set("master", masterIndex)
        object.set("radio", modem.map(\.json))
        return object
    }
}
