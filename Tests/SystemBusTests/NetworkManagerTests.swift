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
    }

    private static let home =
        "network metered=4 connectivity=4 available=1 enabled=1 uri=http://example.com/check"

    @Test("The manager's state, its devices, and their changes are reported")
    func everything() throws {
        let bus = try Bus(place)
        var service = try FakeNetworkManager(
            place, Self.home, "device 1 interface=eth0 metered=4 ip4=4 ip6=1 state=100", "own")
        let client = try Client(place, watching: network)
        #expect(client.state.metered == 0)
        #expect(client.wait(SYSTEM_BUS_NETWORK_MANAGER, SYSTEM_BUS_READY))
        #expect(client.state.metered == 4)
        #expect(client.state.connectivity == 4)
        #expect(client.state.checks == 1)
        #expect(client.checkURI == "http://example.com/check")
        let eth0 = Device(interface: "eth0", metered: 4, connectivity: [4, 1], state: 100)
        #expect(client.devices == [1: eth0])
        try service.send("network metered=1 connectivity=2 enabled=0")
        #expect(client.wait { $0.state.metered == 1 })
        #expect(client.state.connectivity == 2)
        #expect(client.state.checks == 0)
        try service.send("network uri=http://\(String(repeating: "x", count: 300))")
        #expect(client.wait { $0.checkURI.isEmpty })
        try service.send("device 2 interface=cdc-wdm0 state=30")
        #expect(client.wait { $0.devices[2]?.interface == "cdc-wdm0" })
        try service.send("device 2 ipinterface=wwan0 metered=1 ip4=3 state=100")
        #expect(client.wait { $0.devices[2]?.interface == "wwan0" })
        #expect(
            client.devices[2]
                == Device(interface: "wwan0", metered: 1, connectivity: [3, 0], state: 100))
        // A name longer than IFNAMSIZ is dropped.
        try service.send("device 3 interface=aa:bb:cc:dd:ee:ff")
        #expect(client.wait { $0.devices[3] == Device(interface: "") })
        try service.send("remove 1")
        #expect(client.wait { $0.devices.keys.sorted() == [2, 3] })
        service.crash()
        #expect(client.wait(SYSTEM_BUS_NETWORK_MANAGER, SYSTEM_BUS_NO_DAEMON))
        #expect(client.devices.isEmpty)
        #expect(client.state.metered == 0)
        bus.crash()
    }

    @Test("The client follows restarts of the service and the bus, and a successor of the service")
    func restarts() throws {
        let client = try Client(place, watching: network)
        for _ in 0..<3 {
            let bus = try Bus(place)
            #expect(client.wait(SYSTEM_BUS_NETWORK_MANAGER, SYSTEM_BUS_NO_DAEMON))
            let first = try FakeNetworkManager(place, "own", "network metered=1")
            #expect(client.wait { $0.state.metered == 1 })
            let second = try FakeNetworkManager(place, "network metered=2", "own")
            first.crash()
            #expect(client.wait { $0.state.metered == 2 })
            second.crash()
            #expect(client.wait(SYSTEM_BUS_NETWORK_MANAGER, SYSTEM_BUS_NO_DAEMON))
            bus.crash()
            #expect(client.wait(SYSTEM_BUS_NETWORK_MANAGER, SYSTEM_BUS_NO_BUS))
            #expect(client.error(SYSTEM_BUS_NETWORK_MANAGER) > 0)
        }
    }

    @Test(
        "Signals that another connection sends to the client change nothing",
        arguments: ["properties", "object", "owner"])
    func forged(signal: String) throws {
        let bus = try Bus(place)
        var service = try FakeNetworkManager(place, Self.home, "device 1 interface=eth0", "own")
        let client = try Client(place, watching: network)
        #expect(client.wait(SYSTEM_BUS_NETWORK_MANAGER, SYSTEM_BUS_READY))
        try service.send("forge \(signal)")
        try service.send("device 2 interface=eth1")
        #expect(
            client.wait {
                $0.devices[2] != nil || $0.status(SYSTEM_BUS_NETWORK_MANAGER) != SYSTEM_BUS_READY
            })
        #expect(client.status(SYSTEM_BUS_NETWORK_MANAGER) == SYSTEM_BUS_READY)
        #expect(client.state.metered == 4)
        #expect(client.devices.keys.sorted() == [1, 2])
        service.crash()
        bus.crash()
    }

    @Test("Properties of the wrong type and signals of the wrong form are ignored")
    func wrong() throws {
        let bus = try Bus(place)
        var service = try FakeNetworkManager(
            place, Self.home, "device 1 interface=eth0 metered=4 ip4=4 ip6=1 state=100", "own")
        let client = try Client(place, watching: network)
        #expect(client.wait(SYSTEM_BUS_NETWORK_MANAGER, SYSTEM_BUS_READY))
        let before = client.devices
        try service.send("wrong 1")
        try service.send("network connectivity=3")
        #expect(client.wait { $0.state.connectivity == 3 })
        #expect(client.devices == before)
        #expect(client.state.metered == 4)
        #expect(client.state.checks == 1)
        #expect(client.checkURI == "http://example.com/check")
        service.crash()
        bus.crash()
    }

    @Test("Devices whose object paths end with a name, as a mock's do, are added and removed")
    func named() throws {
        let bus = try Bus(place)
        var service = try FakeNetworkManager(place, "device 1 interface=eth0", "own")
        let client = try Client(place, watching: network)
        #expect(client.wait(SYSTEM_BUS_NETWORK_MANAGER, SYSTEM_BUS_READY))
        try service.send("named 1")
        #expect(client.wait { $0.devices[-1]?.interface == "eth7" && $0.devices.count == 2 })
        try service.send("named 0")
        #expect(client.wait { $0.devices.keys.sorted() == [1] })
        service.crash()
        bus.crash()
    }

    @Test("The table of devices grows up to its bound of 4,096")
    func many() throws {
        let bus = try Bus(place)
        var service = try FakeNetworkManager(place, "many 5000", "own")
        let client = try Client(place, watching: network)
        #expect(client.wait(SYSTEM_BUS_NETWORK_MANAGER, SYSTEM_BUS_READY))
        #expect(client.devices.count == 4096)
        #expect(client.devices[100]?.interface == "veth100")
        // Devices that had no room are reported when others are removed.
        for number in 100..<1100 { try service.send("remove \(number)") }
        #expect(client.wait { $0.devices.count == 4000 })
        #expect(client.devices[5099]?.interface == "veth5099")
        service.crash()
        bus.crash()
    }

    @Test("Signals of access points and statistics are not delivered")
    func noise() throws {
        let bus = try Bus(place)
        var service = try FakeNetworkManager(place, "own", "device 1 interface=wlan0")
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
        service.crash()
        bus.crash()
    }
}
