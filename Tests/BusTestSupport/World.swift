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
    private let services = Mutex<(modems: FakeModemManager, manager: FakeNetworkManager)?>(nil)
    private let isOnline = Mutex(false)

    /// Creates a world that is offline.
    ///
    /// - Throws: An error of the system, of `ip`, or of a daemon.
    package init() throws {
        namespace = try .withDefaultRoute()
        try namespace.ip("route del default")
        place = try Place()
        simulated = try SimulatedReachability()
        server = try Server(in: namespace, .answer(http(204)))
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
            try send(Self.modem(new), Self.network(new))
            if new { simulated.setOnline() } else { simulated.setOffline() }
            isOnline = new
        }
    }

    /// Removes the services from the bus, or adds them again.
    package func set(hasServices: Bool) throws {
        let command = hasServices ? "own" : "disown"
        try send(command, command)
    }

    private func send(_ toModems: String, _ toManager: String) throws {
        try services.withLock { services in
            try services?.modems.send(toModems)
            try services?.manager.send(toManager)
        }
    }

    /// Ends the bus, and starts another one at its address.
    package func restartBus() throws {
        try isOnline.withLock { isOnline in
            try place.startBus()
            try services.withLock { services in
                services?.modems.crash()
                services?.manager.crash()
                services = try (
                    FakeModemManager(place, Self.modem(isOnline), "own"),
                    FakeNetworkManager(
                        place, "device 1 interface=eth0 metered=1", Self.network(isOnline), "own")
                )
            }
        }
    }
}
