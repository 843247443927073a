// SPDX-License-Identifier: MIT
import NetworkReachability
package import NetworkReachabilityTesting
package import SwiftTestSupport
import Synchronization

/// A network namespace, a bus with both services, a simulation, and an HTTP server, which change
/// together.
package final class World: Sendable {
    /// An address that is local while the world is online, as long as there is a default route.
    package static let address = "192.0.2.1"

    package let namespace: Namespace
    package let place: Place
    package let simulated: SimulatedReachability
    /// Listens at ``address`` in the namespace.
    package let server: Server
    private let bus: Mutex<Bus?>
    private let modems: Mutex<FakeModemManager?>
    private let manager: Mutex<FakeNetworkManager?>
    private let isOnline = Mutex(false)

    /// Creates a world that is offline.
    ///
    /// - Throws: An error of the system, of `ip`, or of a daemon.
    package init() throws {
        namespace = try .withDefaultRoute()
        try namespace.ip("route del default")
        let place = try Place()
        self.place = place
        simulated = try SimulatedReachability()
        server = try Server(in: namespace, .answer(http(204)))
        bus = Mutex(nil)
        modems = Mutex(nil)
        manager = Mutex(nil)
        try restartBus()
    }

    private static func modem(_ isOnline: Bool) -> String {
        isOnline
            ? "modem 0 state=11 tech=0x4000 operator=On code=26201"
            : "modem 0 state=8 tech=0x20 operator=Off code=26202"
    }

    private static func network(_ isOnline: Bool) -> String {
        "network connectivity=\(isOnline ? 4 : 1)"
    }

    /// Makes the whole world online or offline, on any thread.
    ///
    /// A change by one thread is complete before a change by another thread begins.
    package func set(isOnline new: Bool) throws {
        try isOnline.withLock { isOnline in
            guard isOnline != new else { return }
            let verb = new ? "add" : "del"
            try namespace.batch([
                "addr \(verb) \(Self.address)/32 dev lo", "route \(verb) default via 10.9.0.2",
            ])
            try modems.withLock { try $0?.send(Self.modem(new)) }
            try manager.withLock { try $0?.send(Self.network(new)) }
            if new { simulated.setOnline() } else { simulated.setOffline() }
            isOnline = new
        }
    }

    /// Removes the services from the bus, or adds them again.
    package func set(hasServices: Bool) throws {
        let command = hasServices ? "own" : "disown"
        try modems.withLock { try $0?.send(command) }
        try manager.withLock { try $0?.send(command) }
    }

    /// Ends the bus for good.
    package func endBus() {
        bus.withLock { $0 = nil }
    }

    /// Ends the bus, and starts another one at its address.
    package func restartBus() throws {
        try isOnline.withLock { isOnline in
            try bus.withLock { $0 = try Bus(place) }
            try modems.withLock { $0 = try FakeModemManager(place, Self.modem(isOnline), "own") }
            try manager.withLock {
                $0 = try FakeNetworkManager(
                    place, "device 1 interface=eth0 metered=1", Self.network(isOnline), "own")
            }
        }
    }
}
