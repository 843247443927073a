// SPDX-License-Identifier: MIT
import SystemServices
import NetworkReachability
import Testing

@testable import CoreTelephony

@Suite("Descriptions of the connection")
struct DescriptionTests {
    private func snapshot(_ flags: ReachabilityFlags, _ interface: String) -> ReachabilitySnapshot {
        ReachabilitySnapshot(
            flags: flags,
            interface: .init(index: 7, name: interface, interfaceClass: .cellular))
    }

    private func text(
        _ flags: ReachabilityFlags, _ modems: [CellularModem], interface: String = "wwan0"
    ) -> String {
        CellularRadio.shared.connectionTypeDescription(of: snapshot(flags, interface)) {
            CellularRadioState(availability: .available, modems: modems)
        }
    }

    private let cellular: ReachabilityFlags = [.reachable, .isWWAN, .transientConnection]

    @Test("Without a network or over Wi-Fi, the radio is not read")
    func others() {
        for (flags, expected) in [
            ([], "No network"), ([.reachable], "Wi-Fi"),
            ([.reachable, .connectionRequired], "No network"),
        ] as [(ReachabilityFlags, String)] {
            let found = CellularRadio.shared.connectionTypeDescription(of: snapshot(flags, "wlan0"))
            {
                Issue.record("the radio was asked")
                return CellularRadioState(availability: .starting)
            }
            #expect(found == expected)
        }
    }

    @Test("The interface's modem determines the description, or else the connected one")
    func modems() {
        let first = CellularModem(
            id: "0", state: .connected, accessTechnologies: 1 << 5, networkInterfaces: ["wwan1"])
        let second = CellularModem(
            id: "1", state: .registered, accessTechnologies: 3 << 14, networkInterfaces: ["wwan0"])
        #expect(text(cellular, [first, second]) == "5G NSA")
        #expect(text(cellular, [first, second], interface: "ppp0") == "3G")
        #expect(text(cellular, []) == "Cellular")
        #expect(text(cellular, [CellularModem(id: "2", state: .connected)]) == "Cellular")
    }
}
