// SPDX-License-Identifier: MIT
import BusTestSupport
import CSystemBus
import Glibc
import SwiftTestSupport
import Testing

@Suite("NetworkManager", .blocking, .timeLimit(.minutes(10)))
struct NetworkManagerTests {
    private let place: Place

    init() throws {
        place = try Place()
        try place.startBus()
    }

    @Test("Devices whose object paths end with a name, as a mock's do, are added and removed")
    func named() throws {
        let service = try FakeNetworkManager(place, "device 1 interface=eth0", "own")
        let client = try Client(place, watching: network)
        #expect(client.wait(SYSTEM_BUS_NETWORK_MANAGER, SYSTEM_BUS_READY))
        try service.send("named 1")
        #expect(client.wait { $0.devices[-1]?.interface == "eth7" && $0.devices.count == 2 })
        try service.send("named 0")
        #expect(client.wait { $0.devices.keys.sorted() == [1] })
    }

    @Test("The table of devices grows up to its bound of 4,096")
    func many() throws {
        let service = try FakeNetworkManager(place, "many 5000", "own")
        let client = try Client(place, watching: network)
        #expect(client.wait(SYSTEM_BUS_NETWORK_MANAGER, SYSTEM_BUS_READY))
        #expect(client.devices.count == 4096)
        #expect(client.devices[100]?.interface == "veth100")
        // Devices that had no room are reported when others are removed.
        for number in 100..<1100 { try service.send("remove \(number)") }
        #expect(client.wait { $0.devices.count == 4000 })
        #expect(client.devices[5099]?.interface == "veth5099")
    }

    @Test("Signals of access points and statistics are not delivered")
    func noise() throws {
        let service = try FakeNetworkManager(place, "own", "device 1 interface=wlan0")
        let client = try Client(place, watching: network)
        #expect(client.wait(SYSTEM_BUS_NETWORK_MANAGER, SYSTEM_BUS_READY))
        while client.timeout == 0 || client.pending > 0 { client.dispatch() }
        try service.send("noise 2000")
        try service.send("device 1 metered=1")
        var steps = 0
        #expect(
            client.wait {
                steps += 1
                return $0.devices[1]?.metered == 1
            })
        // The bus delivers in order: 4,000 messages would take more steps.
        #expect(steps <= 3)
    }
}
