// SPDX-License-Identifier: MIT
import ArgumentParser
import SystemServices
import NetworkReachability
import ReachabilityConnectivity

/// `reachctl interfaces`.
struct Interfaces: Subcommand {
    static let configuration = CommandConfiguration(
        commandName: "interfaces",
        abstract: "List the network interfaces with their class and state.",
        discussion: """
            Columns: index, name, class, state, rtnetlink kind, master, and the addresses; '-' for none. \
            With --json, state and addresses are lists, master is an index, and null is none.

            If ModemManager knows the modem of an interface, the column RADIO has its technology and \
            generation, and the JSON member radio has {technology, generation, operator, signal, roaming, \
            state, failedReason, power, lock}. If NetworkManager knows the interface, METERED is yes, no, \
            guess-yes, or guess-no, and CONNECTIVITY is how far packets get: noNetwork, portal, limited, or \
            full, per family if they differ. In JSON these are metered (a string) and connectivity {ipv4, \
            ipv6}; null if unknown. Both services have one second to answer over the system bus. They \
            aren't used with --netns.

            EXIT STATUS:
              0     done
              64    bad usage
              71    a system error

            EXAMPLES:
              reachctl interfaces
                  All interfaces of this host.
              reachctl interfaces -j | jq -r 'select(.class == "wifi").name'
                  The names of the Wi-Fi interfaces.
            """)

    @OptionGroup var options: CommonOptions

    func perform() throws {
        let interfaces: [NetworkInterface]
        do {
            interfaces = try NetworkInterface.all(in: options.namespace)
        } catch {
            throw Failure.system(error)
        }
        // Both services name interfaces of this namespace, so they aren't asked with --netns.
        let asks = options.asksNetworkManager
        // Ask NetworkManager without waiting, so that both services answer at the same time.
        if asks { _ = NetworkManager.shared.currentState() }
        let radio = asks ? CellularRadio.shared.firstState() : nil
        let network = asks ? NetworkManager.shared.firstState() : nil
        var output = Output()
        if options.json {
            for interface in interfaces {
                let modem = radio?.modem(forInterface: interface.name)
                let device = network?.device(forInterface: interface.name)
                try output.line(interface.json(modem, device).line)
            }
        } else {
            for line in Interfaces.table(interfaces, radio, network) {
                try output.line(line)
            }
        }
        try output.flush()
    }

    private static func table(
        _ interfaces: [NetworkInterface], _ radio: CellularRadioState?,
        _ network: NetworkManagerState?
    ) -> [String] {
        let devices = interfaces.map { network?.device(forInterface: $0.name) }
        let columns: [(name: String, values: [String?])] = [
            ("RADIO", interfaces.map { radio?.modem(forInterface: $0.name)?.text }),
            ("METERED", devices.map { $0?.meteredText }),
            ("CONNECTIVITY", devices.map { $0?.connectivityText }),
        ]
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
        // Leave out a column without values.
        for column in columns where column.values.contains(where: { $0 != nil }) {
            rows[0].append(column.name)
            for (row, value) in column.values.enumerated() { rows[row + 1].append(value ?? "-") }
        }
        // ADDRESSES comes last, because its cells contain spaces.
        rows[0].append("ADDRESSES")
        for (row, interface) in interfaces.enumerated() {
            let texts = interface.addressTexts
            rows[row + 1].append(texts.isEmpty ? "-" : texts.joined(separator: " "))
        }
        return aligned(rows)
    }
}

extension NetworkInterface {
    fileprivate var stateNames: [String] { state.names + (isUsable ? ["usable"] : []) }

    func json(
        _ modem: CellularModem? = nil, _ device: NetworkManagerDevice? = nil
    ) -> JSONObject {
        [
            "index": index, "name": name, "class": interfaceClass.rawValue, "state": stateNames,
            "kind": kind, "master": masterIndex, "addresses": addressTexts,
            "metered": device?.meteredText,
            "connectivity": device?.connectivityJSON, "radio": modem.map(\.json),
        ]
    }
}
