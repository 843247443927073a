// SPDX-License-Identifier: MIT
import BusTestSupport
import SystemServices
import Dispatch
import NetworkReachability
import SwiftTestSupport
import Testing

@testable import ReachabilityConnectivity

/// The whole path from D-Bus to a value, with a fake service that tests control.
@Suite("A fake NetworkManager", .blocking, .timeLimit(.minutes(10)))
struct FakeServiceTests {
    private let place: Place
    private let bus: SharedBusLoop
    private let network: NetworkManager

    init() throws {
        place = try Place()
        try place.startBus()
        bus = place.connection()
        network = NetworkManager(bus: bus)
    }

    @Test("The state and its devices are reported with all their properties")
    func everything() async throws {
        try FakeNetworkManager(
            place,
            "network metered=4 connectivity=3 available=1 enabled=1 uri=http://example.com/x",
            "device 2 interface=wlan0 metered=3 ip4=4 ip6=2 state=100",
            "device 1 interface=cdc-wdm0 ipinterface=wwan0 metered=1 ip4=1 ip6=0 state=30", "own")
        let state = await network.first { $0.devices.count == 2 }
        #expect(
            state
                == NetworkManagerState(
                    availability: .available, metered: .guessNo, connectivity: .limited,
                    checksConnectivity: true, checkURI: "http://example.com/x",
                    devices: [
                        NetworkManagerDevice(
                            id: path(2), interface: "wlan0", metered: .guessYes,
                            ipv4Connectivity: .full, ipv6Connectivity: .portal),
                        NetworkManagerDevice(
                            id: path(1), interface: "wwan0", metered: .yes,
                            ipv4Connectivity: .noNetwork, isActivated: false),
                    ]))
        #expect(network.currentState(timeout: .seconds(120)) == state)
        #expect(state?.device(forInterface: "cdc-wdm0") == nil)
    }

    @Test("Listeners, sequences, and subscriptions receive changes")
    func changes() async throws {
        let service = try FakeNetworkManager(place, "own", "device 1 interface=eth0 metered=0")
        let received = Recorder<NetworkManagerState>()
        let subscribed = Recorder<NetworkManagerState>()
        let lasting = Recorder<NetworkManagerState>()
        let brief = Recorder<NetworkManagerState>()
        let listener = network.addListener(queue: .test()) { received.record($0) }
        let queue = DispatchQueue.test("lasting")
        let steady = network.addListener(queue: queue, stable: .seconds(3600)) {
            lasting.record($0)
        }
        let quick = network.addListener(queue: queue, stable: .milliseconds(1)) { brief.record($0) }
        let subscription = network.follow { subscribed.record($0) }
        for (number, metered) in [(1, NetworkManagerMetered.yes), (2, .no), (4, .guessNo)] {
            try service.send("device 1 metered=\(number)")
            let fits = { (state: NetworkManagerState) in state.devices.first?.metered == metered }
            #expect(await network.first(where: fits) != nil)
            #expect(await received.first(where: fits) != nil)
            #expect(await subscribed.first(where: fits) != nil)
        }
        try service.send("network connectivity=2")
        #expect(await network.first { $0.connectivity == .portal } != nil)
        try service.send("remove 1")
        #expect(await network.first { $0.devices.isEmpty }?.availability == .available)
        try service.send("disown")
        #expect(await network.first { $0.availability == .noDaemon }?.connectivity == .unknown)
        // No change lasted for an hour, so the steady listener got only the first state.
        #expect(await brief.first { $0.availability == .noDaemon } != nil)
        await perform(on: queue)
        #expect(lasting.values.count == 1)
        steady.cancel()
        quick.cancel()
        listener.cancel()
        subscription.cancel()
    }

    @Test("When a silent service succeeds another, the state of the first is dropped at once")
    func successor() async throws {
        let network = NetworkManager(bus: place.connection(answer: 3_600_000))
        let first = try FakeNetworkManager(place, "own", "device 1 interface=eth0 metered=1")
        let second = try FakeNetworkManager(place, "answer nothing", "own")
        let received = Recorder<NetworkManagerState>()
        let listener = network.addListener(queue: .test()) { received.record($0) }
        #expect(await received.next()?.devices.count == 1)
        first.crash()
        let void = await received.next()
        #expect(void?.availability == .starting && void?.devices.isEmpty == true)
        #expect(network.currentState() == void)
        // A listener that is added now has no state yet.
        let late = Recorder<NetworkManagerState>()
        let another = network.addListener(queue: .test()) { late.record($0) }
        try service(second, "disown", "answer all", "device 2 interface=eth1", "own")
        #expect(await received.first { $0.devices.count == 1 }?.devices.first?.interface == "eth1")
        _ = await late.first { $0.devices.count == 1 }
        #expect(late.values.allSatisfy { $0.availability != .starting })
        listener.cancel()
        another.cancel()
    }

    private func service(_ fake: FakeNetworkManager, _ commands: String...) throws {
        for command in commands { try fake.send(command) }
    }

    @Test("A monitor whose probe is NetworkManager follows it")
    func monitor() async throws {
        let monitor = try ConnectivityMonitor(
            target: .address("127.0.0.1"), probe: .networkManager(network))
        let states = monitor.states
        func first(_ level: ConnectivityLevel) async -> ConnectivityState? {
            for await state in states where state.level == level { return state }
            return nil
        }
        #expect(await monitor.check().failure?.code == .noNetworkManager)
        let service = try FakeNetworkManager(
            place, "network connectivity=4 available=1 enabled=1 uri=http://example.com/x", "own")
        #expect(await first(.full)?.failure == nil)
        try service.send("network connectivity=2")
        #expect(await first(.portal(url: "http://example.com/x")) != nil)
        try service.send("device 1 interface=lo ip4=3 state=100")
        #expect(await first(.limited) != nil)
        try service.send("remove 1")
        #expect(await first(.portal(url: "http://example.com/x")) != nil)
        service.crash()
        #expect(await first(.unknown)?.failure?.code == .noNetworkManager)
    }

    @Test("The radio and NetworkManager share one connection and one thread")
    func shared() async throws {
        await #expect(processExitsWith: .success) {
            let place = try Place()
            try place.startBus()
            try FakeModemManager(place, "own", "modem 0 state=8 tech=0x4000")
            try FakeNetworkManager(place, "own", "device 1 interface=eth0 metered=1")
            let bus = place.connection(linger: 60_000)
            precondition(
                CellularRadio(bus: bus).currentState(timeout: .seconds(120)).modems.count == 1)
            let before = Usage()
            precondition(
                NetworkManager(bus: bus).currentState(timeout: .seconds(120)).devices.count == 1)
            let after = Usage()
            precondition(after == before && before.threads == 1, "\(before), then \(after)")
        }
    }
}
