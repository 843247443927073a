// SPDX-License-Identifier: MIT

#if ServiceLifecycle
    import Logging
    import NetworkReachability
    import NetworkReachabilityServiceLifecycle
    import ServiceLifecycle
    import Testing

    @Suite("The service", .timeLimit(.minutes(10)))
    struct ServiceTests {
        @Test(
            "it monitors from the start of its group to graceful shutdown", .needsNamespaces)
        func group() async throws {
            let cable = try Cable()
            let states = Recorder<ReachabilitySnapshot>()
            let group = ServiceGroup(
                services: [ReachabilityService(cable.manager) { states.record($0) }],
                logger: Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() }))
            async let end: Void = group.run()
            #expect(await states.next()?.status == .reachableViaWiFi)
            #expect(cable.manager.isMonitoring)
            try cable.namespace.setCarrier(false)
            #expect(await states.first { !$0.status.isReachable }?.reason == .linkDown)
            await group.triggerGracefulShutdown()
            try await end
            await cable.closed.next()
            #expect(!cable.manager.isMonitoring)
        }

        @Test("graceful shutdown waits for the handler")
        func handler() async throws {
            let begun = Recorder<Void>()
            let (shutdown, continuation) = AsyncStream<Void>.makeStream()
            let wasCancelled = Recorder<Bool>()
            let manager = try NetworkReachabilityManager(address: "127.0.0.1")
            let service = ReachabilityService(manager) { _ in
                begun.record(())
                for await _ in shutdown {}
                wasCancelled.record(Task.isCancelled)
            }
            let group = ServiceGroup(
                services: [service],
                logger: Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() }))
            async let end: Void = group.run()
            await begun.next()
            await group.triggerGracefulShutdown()
            continuation.finish()
            try await end
            #expect(wasCancelled.values == [false])
        }

        @Test("cancellation ends it, and so does a stop", arguments: [true, false])
        func end(byCancellation: Bool) async throws {
            let manager = try NetworkReachabilityManager(address: "127.0.0.1")
            let states = Recorder<ReachabilitySnapshot>()
            let service = ReachabilityService(manager) { states.record($0) }
            let task = Task { try await service.run() }
            await states.next()
            if byCancellation { task.cancel() } else { manager.stopMonitoring() }
            try await task.value
        }

        @Test("monitoring that was started otherwise goes on")
        func started() async throws {
            let manager = try NetworkReachabilityManager(address: "127.0.0.1")
            try manager.startMonitoring()
            let states = Recorder<ReachabilitySnapshot>()
            let service = ReachabilityService(manager) { states.record($0) }
            let task = Task { try await service.run() }
            await states.next()
            task.cancel()
            try await task.value
            await inLoop()
            #expect(manager.isMonitoring)
            manager.stopMonitoring()
        }

        @Test("errors of the monitor and of the handler end it")
        func errors() async throws {
            struct Failure: Error {}
            let target = ReachabilityTarget.internet.with(namespace: .path("/dev/null"))
            let bad = ReachabilityService(try NetworkReachabilityManager(target: target)) { _ in }
            let error = await #expect(throws: ReachabilityError.self) { try await bad.run() }
            #expect(error?.code == .notANamespace)
            let manager = try NetworkReachabilityManager(address: "127.0.0.1")
            let failing = ReachabilityService(manager) { _ in throw Failure() }
            await #expect(throws: Failure.self) { try await failing.run() }
        }
    }
#endif
