// SPDX-License-Identifier: MIT
import BusTestSupport
import SystemServices
import Dispatch
import Foundation
import Glibc
import NetworkReachability
import SwiftTestSupport
import Testing

@Suite("Starting, stopping, forking", .blocking, .timeLimit(.minutes(10)))
struct ConnectionTests {
    @Test("Repeated use, in turns with the radio, leaves no thread and no descriptor")
    func rounds() async {
        await #expect(processExitsWith: .success) {
            let place = try Place()
            let daemon = try Bus(place)
            let modems = try FakeModemManager(place, "own", "modem 0 state=8 tech=0x8000")
            let service = try FakeNetworkManager(place, "own", "device 1 interface=eth0 metered=1")
            let bus = place.connection()
            let network = NetworkManager(bus: bus)
            let radio = CellularRadio(bus: bus)
            func round(_ number: Int) {
                let update = number % 3 == 0 ? network.informReachability() : nil
                precondition(network.currentState(timeout: .seconds(120)).devices.count == 1)
                if number % 2 == 0 {
                    precondition(radio.currentState(timeout: .seconds(120)).modems.count == 1)
                }
                update?.cancel()
            }
            func idle() throws -> Usage {
                var usage = try Usage()
                while usage.threads > 0 {
                    sched_yield()
                    usage = try Usage()
                }
                return usage
            }
            for number in 0..<20 { round(number) }
            let before = try idle()
            for number in 0..<300 { round(number) }
            let after = try idle()
            precondition(after.descriptors <= before.descriptors, "\(before), then \(after)")
            service.crash()
            modems.crash()
            daemon.crash()
        }
    }

    @Test("A child of fork() has its own connection, and leaves its parent's alone")
    func child() async {
        await #expect(processExitsWith: .success) {
            let place = try Place()
            let daemon = try Bus(place)
            var service = try FakeNetworkManager(place, "own", "device 1 interface=eth0 metered=1")
            let network = NetworkManager(bus: place.connection())
            let received = Recorder<NetworkManagerState>()
            let listener = network.addListener(queue: .test()) { received.record($0) }
            let update = network.informReachability()
            _ = await received.first { !$0.devices.isEmpty }
            for _ in 0..<20 {
                let child = fork {
                    listener.cancel()
                    update.cancel()
                    return network.currentState(timeout: .seconds(120)).devices.count == 1 ? 0 : 1
                }
                precondition(wait(for: child) == 0)
            }
            try service.send("device 1 metered=2")
            _ = await received.first { $0.devices.first?.metered == .no }
            service.crash()
            daemon.crash()
        }
    }

    @Test("Without descriptors the service is unavailable, and it recovers once there are some")
    func descriptors() async {
        await #expect(processExitsWith: .success) {
            let place = try Place()
            let daemon = try Bus(place)
            let service = try FakeNetworkManager(place, "own", "device 1 interface=eth0 metered=1")
            let network = NetworkManager(bus: place.connection())
            var limit = rlimit()
            let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
            precondition(unsafe getrlimit(resource, &limit) == 0)
            let most = limit.rlim_cur
            limit.rlim_cur = 0
            precondition(unsafe setrlimit(resource, &limit) == 0)
            let without = network.currentState(timeout: .seconds(120))
            limit.rlim_cur = most
            precondition(unsafe setrlimit(resource, &limit) == 0)
            precondition(without.error?.code == .outOfResources, "\(without)")
            let later = await network.first { $0.availability == .available }
            precondition(later?.devices.count == 1)
            service.crash()
            daemon.crash()
        }
    }
}
