// SPDX-License-Identifier: MIT
import Logging
import NetworkReachability
import NetworkReachabilityTesting
import ServiceLifecycle
import Testing

@testable import Recipes

@Suite("The service", .timeLimit(.minutes(10)))
struct ServiceTests {
    let logger = Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() })

    @Test("The service monitors until graceful shutdown, which waits for the handler")
    func shutdown() async throws {
        let network = try SimulatedReachability()
        let (states, continuation) = AsyncStream<ReachabilitySnapshot>.makeStream()
        let (shutdown, release) = AsyncStream<Void>.makeStream()
        let service = ReachabilityService(manager: network.manager) { snapshot in
            continuation.yield(snapshot)
            if snapshot.status.isReachable { for await _ in shutdown {} }
            continuation.yield(snapshot)
        }
        let group = ServiceGroup(services: [service], logger: logger)
        async let end: Void = group.run()
        var iterator = states.makeAsyncIterator()
        #expect(await iterator.next()?.reason == .noRoute)
        #expect(network.manager.isMonitoring)
        #expect(await iterator.next()?.reason == .noRoute)
        network.setOnline()
        #expect(await iterator.next()?.status == .reachableViaWiFi)
        await group.triggerGracefulShutdown()
        release.finish()
        try await end
        #expect(await iterator.next()?.status == .reachableViaWiFi)
    }

    @Test("An error of the handler ends the service")
    func failure() async throws {
        struct Failure: Error {}
        let network = try SimulatedReachability()
        let service = ReachabilityService(manager: network.manager) { _ in throw Failure() }
        await #expect(throws: Failure.self) { try await service.run() }
    }
}
