// SPDX-License-Identifier: MIT
import BusTestSupport
import CSystemBus
import Foundation
import Glibc
import SwiftTestSupport
import Testing

@Suite("Two services on one connection", .blocking, .timeLimit(.minutes(10)))
struct TwoServicesTests {
    private let place: Place

    init() throws {
        place = try Place()
    }

    /// The number of unique names on the bus, including that of dbus-send.
    private func connections() throws -> Int {
        let (output, status) = try Child.run([
            "dbus-send", "--bus=\(place.address)", "--print-reply", "--dest=org.freedesktop.DBus",
            "/org/freedesktop/DBus", "org.freedesktop.DBus.ListNames",
        ])
        try #require(status == 0, "\(output)")
        return output.components(separatedBy: "\":1.").count - 1
    }

    @Test("The set of services can change, and all share one connection")
    func sets() throws {
        try place.startBus()
        try FakeModemManager(place, "own", "modem 0 state=8")
        let manager = try FakeNetworkManager(place, "own", "network metered=1")
        let without = try connections()
        let client = try Client(place, watching: 0)
        #expect(client.descriptor == -1)
        #expect(client.timeout == -1)
        #expect(try connections() == without)
        client.watch(modems)
        #expect(client.wait { $0.modemCount == 1 })
        #expect(client.status(SYSTEM_BUS_NETWORK_MANAGER) == SYSTEM_BUS_CONNECTING)
        let descriptor = client.descriptor
        client.watch(modems | network)
        #expect(client.wait { $0.state.metered == 1 })
        #expect(client.modemCount == 1)
        #expect(client.descriptor == descriptor)
        #expect(try connections() == without + 1)
        client.watch(network)
        #expect(client.modemCount == 0)
        #expect(client.status(SYSTEM_BUS_MODEM_MANAGER) == SYSTEM_BUS_CONNECTING)
        try manager.send("network metered=2")
        #expect(client.wait { $0.state.metered == 2 })
        client.watch(0)
        #expect(client.descriptor == -1)
        #expect(client.timeout == -1)
        client.watch(network)
        #expect(client.wait { $0.state.metered == 2 })
    }

    @Test(
        "A service that refuses or is silent does not affect the other",
        arguments: ["AccessDenied", "nothing"])
    func refused(answer: String) throws {
        try place.startBus()
        let radio = try FakeModemManager(place, "own", "modem 0 state=8", "answer \(answer)")
        let manager = try FakeNetworkManager(place, "own", "network metered=1")
        let client = try Client(place, watching: modems | network, answer: 200)
        #expect(client.wait(SYSTEM_BUS_MODEM_MANAGER, SYSTEM_BUS_REFUSED))
        let error = answer == "nothing" ? ETIMEDOUT : EACCES
        #expect(client.error(SYSTEM_BUS_MODEM_MANAGER) == error)
        #expect(client.wait { $0.state.metered == 1 })
        let descriptor = client.descriptor
        var hasLost = false
        for round in 0..<20 {
            try manager.send("network metered=\(round % 4 + 1)")
            #expect(
                client.wait {
                    hasLost = hasLost || $0.status(SYSTEM_BUS_NETWORK_MANAGER) != SYSTEM_BUS_READY
                    return $0.state.metered == UInt32(round % 4 + 1)
                })
        }
        #expect(!hasLost)
        try radio.send("answer all")
        #expect(client.wait { $0.modemCount == 1 })
        #expect(client.descriptor == descriptor)
        radio.crash()
        #expect(client.wait(SYSTEM_BUS_MODEM_MANAGER, SYSTEM_BUS_NO_DAEMON))
        #expect(client.status(SYSTEM_BUS_NETWORK_MANAGER) == SYSTEM_BUS_READY)
    }

    @Test("Both services report the end of the bus")
    func connectionEnds() throws {
        try place.startBus()
        try FakeModemManager(place, "own", "modem 0 state=8")
        try FakeNetworkManager(place, "own")
        let client = try Client(place, watching: modems | network)
        #expect(client.wait(SYSTEM_BUS_MODEM_MANAGER, SYSTEM_BUS_READY))
        #expect(client.wait(SYSTEM_BUS_NETWORK_MANAGER, SYSTEM_BUS_READY))
        while client.timeout == 0 { client.dispatch() }
        place.endBus()
        var changed: CInt = 0
        #expect(
            client.wait { client in
                changed |= client.dispatch()
                return client.status(SYSTEM_BUS_MODEM_MANAGER) == SYSTEM_BUS_NO_BUS
            })
        #expect(client.status(SYSTEM_BUS_NETWORK_MANAGER) == SYSTEM_BUS_NO_BUS)
        // A service that is added while there is no bus has that status at once.
        client.watch(modems)
        client.watch(modems | network)
        #expect(client.status(SYSTEM_BUS_NETWORK_MANAGER) == SYSTEM_BUS_NO_BUS)
    }

    @Test("A list of addresses is accepted only if all are Unix sockets")
    func addresses() throws {
        try place.startBus()
        for (list, isTaken) in [
            ("unix:path=/nonexistent;\(place.address)", true), ("\(place.address);", true),
            ("\(place.address);tcp:host=localhost,port=1", false),
        ] {
            let client = try Client(place, watching: network, address: list)
            let status = isTaken ? SYSTEM_BUS_NO_DAEMON : SYSTEM_BUS_NO_BUS
            #expect(client.wait(SYSTEM_BUS_NETWORK_MANAGER, status), "\(list)")
        }
    }

    @Test("A refused match rule is an error of its service alone, until the bus accepts it")
    func matches() throws {
        // ModemManager needs three match rules, NetworkManager four.
        try place.startBus(matches: 5)
        try FakeModemManager(place, "own", "modem 0 state=8")
        try FakeNetworkManager(place, "own", "network metered=1")
        let client = try Client(place, watching: modems)
        #expect(client.wait { $0.modemCount == 1 })
        client.watch(modems | network)
        #expect(client.wait(SYSTEM_BUS_NETWORK_MANAGER, SYSTEM_BUS_REFUSED))
        #expect(client.error(SYSTEM_BUS_NETWORK_MANAGER) > 0)
        #expect(client.state.metered == 0)
        #expect(client.modemCount == 1)
        // The rules that were accepted are removed: there is room for NetworkManager's alone.
        client.watch(network)
        #expect(client.wait(SYSTEM_BUS_NETWORK_MANAGER, SYSTEM_BUS_READY))
        #expect(client.state.metered == 1)
    }
}
