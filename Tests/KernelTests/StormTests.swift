// SPDX-License-Identifier: MIT
import Dispatch
import Synchronization
import Testing

@testable import NetworkReachability

@Suite(.blocking, .needsNamespaces, .timeLimit(.minutes(10)))
struct StormTests {
    @Test("After an overrun of the event socket the states are right, and the overrun is counted")
    func overrun() async throws {
        let lab = try Lab()
        let mayRead = DispatchSemaphore(value: 1)
        let waiting = Mutex(0)
        let options = MonitorOptions(
            etcRoot: "",
            fault: {
                waiting.withLock { $0 += 1 }
                mayRead.wait()
                waiting.withLock { $0 -= 1 }
                mayRead.signal()
                return nil
            })
        let watch = try await Watch(
            .address("192.0.2.1"), in: lab.host, options: options, expecting: .reachable)
        func overruns() throws -> UInt64 {
            let statistics = try MonitorHub.statistics(in: .path(lab.host.path), options)
            return try #require(statistics).overruns
        }
        let events = (100..<12_100).map {
            "addr replace 10.100.0.1/32 dev lo valid_lft \($0) preferred_lft 50"
        }
        /// Causes more events than there is room for, and further changes, before the monitor reads any.
        func storm(_ changes: [String]) throws {
            mayRead.wait()
            defer { mayRead.signal() }
            repeat {
                try lab.host.batch(Array(events.prefix(2)))
            } while waiting.withLock { $0 } == 0
            try lab.host.batch(events + changes)
        }
        // An overrun alone publishes nothing.
        try storm([])
        while try overruns() == 0 { try Task.checkCancellation() }
        let before = try overruns()
        try storm(["addr add 10.101.40.1/24 dev lo", "link set eth0 down"])
        try await watch.expect([], .noRoute)
        // An address among the events may have caused the lookup, before the monitor heeds the loss.
        while try overruns() == before { try Task.checkCancellation() }
        try lab.host.ip("link set eth0 up")
        try lab.host.ip("route add default via 10.9.0.2")
        try await watch.first { $0.flags == .reachable }
        // The monitor knows the address whose event was lost.
        let pair = try ReachabilityTarget.addressPair(
            local: NetworkAddress("10.101.40.1"), remote: NetworkAddress("192.0.2.1"))
        _ = try await Watch(pair, in: lab.host, options: options, expecting: .reachable)
    }
}
