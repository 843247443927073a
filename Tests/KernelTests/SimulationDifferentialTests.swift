// SPDX-License-Identifier: MIT
import Dispatch
import NetworkReachabilityTesting
import Testing

@testable import NetworkReachability

/// One scenario in a network namespace and in the simulation, whose snapshots must be equal in
/// every member.
@Suite(
    "The simulation compared with the kernel", .needsNamespaces, .blocking, .timeLimit(.minutes(10))
)
struct SimulationDifferentialTests {
    private static let name = "www.example.com"

    /// A target in the namespace and in the simulation.
    private struct Pair {
        let real: NetworkReachabilityManager
        let simulated: SimulatedReachability
        private let reported = (
            real: Recorder<ReachabilitySnapshot>(), simulated: Recorder<ReachabilitySnapshot>()
        )
        private let queue = DispatchQueue.test()

        init(
            _ target: ReachabilityTarget, in namespace: Namespace, _ names: [NetworkAddress],
            _ simulate: (SimulatedReachability) -> Void = { _ in }
        ) throws {
            let options = MonitorOptions(etcRoot: "", resolver: { _ in names })
            real = try NetworkReachabilityManager(
                target: target.with(namespace: .path(namespace.path)), options: options)
            simulated = try SimulatedReachability(target: target)
            simulated.setNameResolved(to: names)
            real.addListener(queue: queue) { [reported] in reported.real.record($0) }
            simulated.manager.addListener(queue: queue) { [reported] in
                reported.simulated.record($0)
            }
            simulate(simulated)
            try real.startMonitoring()
            try simulated.manager.startMonitoring()
        }

        /// Waits until the listener has the current snapshot: a busy monitor reports two changes as one.
        func listenerCatchesUp() async {
            guard let current = try? real.currentSnapshot() else { return }
            while reported.real.values.last != current, await reported.real.next() != nil {}
        }

        /// Compares the snapshots that the listeners of both received.
        func expectEqualReports() async {
            await simulated.flush()
            await perform(on: queue)
            let (found, expected) = (reported.real.values, reported.simulated.values)
            #expect(
                found == expected,
                "\(real.target): \(found.map(SimulationDifferentialTests.describe)), simulated \(expected.map(SimulationDifferentialTests.describe))"
            )
        }

        /// Compares the current snapshots, once the kernel and the resolver had time to catch up.
        func expectEqual(_ step: String) async throws {
            let expected = try simulated.manager.currentSnapshot()
            _ = try? await real.wait(timeout: .seconds(10)) { $0 == expected }
            let found = try real.currentSnapshot()
            #expect(
                found == expected,
                "\(step): \(real.target): \(SimulationDifferentialTests.describe(found)), simulated \(SimulationDifferentialTests.describe(expected))"
            )
        }
    }

    /// Every member in words.
    private static func describe(_ snapshot: ReachabilitySnapshot) -> String {
        Mirror(reflecting: snapshot).children.map { "\($0.label ?? "") \($0.value)" }
            .joined(separator: ", ")
    }

    /// An interface like the simulation's: its index, addresses, and gateways.
    private struct Host {
        let peer: Namespace
        let namespace: Namespace

        init() throws {
            peer = try Namespace()
            namespace = try Namespace()
            try namespace.ip("link add veth0 index 7 type veth peer name p0 netns \(peer.path)")
            try peer.ip("link set p0 up")
            try namespace.ip("link set veth0 up")
            try addAddresses()
            // Carrier comes up to a second later; the simulation begins with it.
            try namespace.awaitLocal(["2001:db8:1::2 ", "fe80:"], on: "veth0")
        }

        func addAddresses() throws {
            try namespace.ip("addr add 198.51.100.2/24 dev veth0")
            try namespace.ip("addr add 2001:db8:1::2/64 dev veth0 nodad")
        }

        func addDefaultRoutes(_ families: Set<NetworkAddress.Family> = [.ipv4, .ipv6]) throws {
            if families.contains(.ipv4) {
                try namespace.ip("route add default via 198.51.100.1")
            }
            if families.contains(.ipv6) {
                try namespace.ip("-6 route add default via fe80::1 dev veth0")
            }
        }

        /// Removes all routes and addresses, and adds default routes of a refusing type, if any.
        func replaceRoutes(by type: String?) throws {
            try namespace.ip("-4 addr flush dev veth0")
            try namespace.ip("-6 addr flush dev veth0 scope global")
            for family in ["-4", "-6"] {
                try namespace.ip("\(family) route flush table main")
                if let type { try namespace.ip("\(family) route add \(type) default") }
            }
        }
    }

    @Test("The simulation's listeners receive the same snapshots as the kernel's")
    func reports() async throws {
        let host = try Host()
        try host.addDefaultRoutes()
        let targets: [ReachabilityTarget] = [
            .internet, .internet(.ipv4), .internet(.ipv6), try .address("192.0.2.1"),
            try .address("2001:db8:9::1"), try .address("127.0.0.1"),
        ]
        let pairs = try targets.map {
            try Pair($0, in: host.namespace, [], { $0.setOnline(over: .virtual) })
        }
        for pair in pairs {
            try await pair.expectEqual("online")
            await pair.listenerCatchesUp()
        }
        let steps: [(String, () throws -> Void, (SimulatedReachability) -> Void)] = [
            (
                "IPv4 goes", { try host.namespace.ip("-4 route del default") },
                { $0.setOnline(over: .virtual, families: [.ipv6]) }
            ),
            (
                "IPv6 goes, too", { try host.namespace.ip("-6 route del default") },
                { $0.setOffline() }
            ),
            (
                "IPv6 returns", { try host.addDefaultRoutes([.ipv6]) },
                { $0.setOnline(over: .virtual, families: [.ipv6]) }
            ),
            (
                "IPv4 returns, too", { try host.addDefaultRoutes([.ipv4]) },
                { $0.setOnline(over: .virtual) }
            ),
        ]
        for (name, change, simulate) in steps {
            try change()
            for pair in pairs {
                simulate(pair.simulated)
                try await pair.expectEqual(name)
                await pair.listenerCatchesUp()
            }
        }
        for pair in pairs { await pair.expectEqualReports() }
    }

    @Test("After every step of a scenario, the current snapshots are equal")
    func scenario() async throws {
        let host = try Host()
        let names = [try NetworkAddress("192.0.2.1"), try NetworkAddress("2001:db8:9::1")]
        let targets: [ReachabilityTarget] = [
            .internet, .internet(.ipv4), .internet(.ipv6), try .address("192.0.2.1"),
            try .address("2001:db8:9::1"), try .address("198.51.100.7"),
            try .address("2001:db8:1::7"), try .address("198.51.100.2"),
            try .address("127.0.0.1"), try .address("239.1.2.3"), try .domain(Self.name),
            try .domain(Self.name).with(family: .ipv6),
            try .address("192.0.2.1").with(interface: "veth0"),
        ]
        try host.addDefaultRoutes()
        let pairs = try targets.map { try Pair($0, in: host.namespace, names) }
        func step(
            _ name: String, _ change: () throws -> Void, _ simulate: (SimulatedReachability) -> Void
        ) async throws {
            try change()
            for pair in pairs {
                simulate(pair.simulated)
                try await pair.expectEqual(name)
            }
        }
        func online(_ families: Set<NetworkAddress.Family> = [.ipv4, .ipv6])
            -> (SimulatedReachability) -> Void
        {
            { $0.setOnline(over: .virtual, families: families) }
        }
        try await step("online", {}, online())
        try await step("a pulled cable", { try host.peer.ip("link set p0 down") }) {
            $0.setOffline(.linkDown)
        }
        try await step("a plugged cable", { try host.peer.ip("link set p0 up") }, online())
        for (type, reason) in [
            ("unreachable", ReachabilityReason.unreachable), ("prohibit", .prohibited),
            ("blackhole", .blackhole),
        ] {
            try await step(type, { try host.replaceRoutes(by: type) }) { $0.setOffline(reason) }
        }
        try await step("no route", { try host.replaceRoutes(by: nil) }) { $0.setOffline() }
        try await step(
            "IPv4 only",
            {
                try host.namespace.ip("addr add 198.51.100.2/24 dev veth0")
                try host.addDefaultRoutes([.ipv4])
            }, online([.ipv4]))
    }
}
