// SPDX-License-Identifier: MIT
import BusTestSupport
import Dispatch
import Foundation
import NetworkReachability
import SwiftTestSupport
import Testing

@testable import SystemServices

/// Tests the path from a property on D-Bus to `isExpensive` of a target.
///
/// The tests run in a child process, whose main thread enters a network namespace with a default
/// route over eth0.
@Suite("Metered in snapshots", .blocking, .timeLimit(.minutes(10)))
struct FeedTests {
    @Test(
        "isExpensive follows NetworkManager's metered value, until the handle is cancelled",
        .needsNamespaces)
    func flips() async {
        await #expect(processExitsWith: .success) {
            try FeedTests.inChild { network, service, _ in
                let told = Told()
                let manager = try told.start("192.0.2.1")
                let local = Told()
                let other = try local.start("127.0.0.1")
                try hold(told.next() == .some(nil), local.next() == .some(nil))
                let update = network.informReachability()
                for (number, isMetered) in [(1, true), (2, false), (3, true)] {
                    try service.send("device 1 interface=eth0 metered=\(number)")
                    try hold(
                        told.next() == isMetered,
                        manager.currentSnapshot().isExpensive == isMetered,
                        // This manager is not monitoring.
                        NetworkReachabilityManager().currentSnapshot().isMetered == isMetered)
                }
                for number in [0, 4] {
                    try service.send("device 1 metered=\(number)")
                    try hold(told.next() == .some(nil))
                    try service.send("device 1 metered=1")
                    try hold(told.next() == true)
                }
                try service.send("disown")
                try hold(told.next() == .some(nil))
                try service.send("own")
                try hold(told.next() == true)
                update.cancel()
                try hold(told.next() == .some(nil))
                update.cancel()
                try hold(local.isSilent, told.isSilent)
                manager.stopMonitoring()
                other.stopMonitoring()
            }
        }
    }

    @Test(
        "A tunnel follows the default route, unless its own connection says yes or no",
        .needsNamespaces,
        .enabled("needs /dev/net/tun, which this user may not open") {
            FileManager.default.isWritableFile(atPath: "/dev/net/tun")
        })
    func tunnel() async {
        await #expect(processExitsWith: .success) {
            try FeedTests.inChild { network, service, namespace in
                // Every network namespace can have a tun link, whose class is vpn.
                try namespace.batch([
                    "tuntap add dev tun0 mode tun", "link set tun0 up",
                    "addr add 10.7.0.1/32 dev tun0", "route replace default dev tun0",
                ])
                let told = Told()
                let manager = try told.start("192.0.2.1")
                try hold(
                    told.next() == .some(nil),
                    manager.currentSnapshot().interface?.interfaceClass == .vpn)
                let update = network.informReachability()
                try service.send("network metered=1")
                try service.send("device 1 interface=eth0 metered=1")
                try service.send("device 2 interface=tun0 metered=4")
                try hold(told.next() == true)
                try service.send("network metered=4")
                try hold(told.next() == .some(nil))
                try service.send("network metered=3")
                try hold(told.next() == true, manager.currentSnapshot().isExpensive)
                try service.send("device 2 metered=2")
                try hold(told.next() == false)
                try service.send("device 2 metered=1")
                try hold(told.next() == true)
                update.cancel()
                manager.stopMonitoring()
            }
        }
    }

    private static func inChild(
        _ check: (NetworkManager, FakeNetworkManager, Namespace) throws -> Void
    ) throws {
        let place = try Place()
        try place.startBus()
        let service = try FakeNetworkManager(place, "own")
        let own = try Namespace.withDefaultRoute()
        own.runInChild { try check(NetworkManager(bus: place.connection()), service, own) }
    }
}

/// The values of `isMetered` that a listener receives, without repetitions, for a thread to await.
private final class Told: Sendable {
    private let values = Mailbox<Bool?>()
    private let latest = Lock<Bool??>(nil)

    func start(_ address: String) throws -> NetworkReachabilityManager {
        let manager = try NetworkReachabilityManager(target: .address(address))
        manager.addListener(queue: .test()) { [values, latest] snapshot in
            let isNew = latest.withLock { latest in
                defer { latest = .some(snapshot.isMetered) }
                return latest != .some(snapshot.isMetered)
            }
            if isNew { values.put(snapshot.isMetered) }
        }
        try manager.startMonitoring()
        return manager
    }

    func next() -> Bool?? { values.take() }

    var isSilent: Bool { values.isEmpty }
}
