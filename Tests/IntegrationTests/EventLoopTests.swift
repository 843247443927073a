// SPDX-License-Identifier: MIT

#if NIO
    import Dispatch
    import NIOCore
    import NIOPosix
    import NetworkReachability
    import NetworkReachabilityNIO
    import Testing

    @Suite("Callbacks on an event loop", .timeLimit(.minutes(10)))
    struct EventLoopTests {
        let eventLoop = MultiThreadedEventLoopGroup.singleton.next()

        @Test("a listener gets the current state and each change, on the loop", .needsNamespaces)
        func listener() async throws {
            let cable = try Cable()
            let calls = Recorder<ReachabilitySnapshot>()
            cable.manager.addListener(on: eventLoop) { [eventLoop] snapshot in
                eventLoop.preconditionInEventLoop()
                calls.record(snapshot)
            }
            try cable.manager.startMonitoring()
            #expect(await calls.next()?.gateway?.description == "10.9.0.2")
            try cable.namespace.setCarrier(false)
            #expect(await calls.next()?.reason == .linkDown)
            try cable.namespace.setCarrier(true)
            #expect(await calls.first { $0.reason != .linkDown }?.status == .reachableViaWiFi)
            cable.manager.stopMonitoring()
        }

        @Test("a status listener gets each status once, in order")
        func statusListener() async throws {
            let manager = NetworkReachabilityManager()
            let calls = Recorder<NetworkReachabilityStatus>()
            let session = manager.startSession()
            manager.addStatusListener(on: eventLoop) { calls.record($0) }
            let wwan: ReachabilityFlags = [.reachable, .isWWAN]
            for flags: ReachabilityFlags in [[], .reachable, [.reachable, .isDirect], wwan, []] {
                await session.report(flags)
            }
            try await eventLoop.submit {}.get()
            #expect(
                calls.values
                    == [.notReachable, .reachableViaWiFi, .reachableViaWWAN, .notReachable])
        }

        @Test(
            "no call follows an end on the loop, though one was submitted",
            arguments: [true, false])
        func end(byCancel: Bool) async throws {
            let manager = NetworkReachabilityManager()
            let calls = Recorder<ReachabilitySnapshot>()
            let session = manager.startSession()
            let listener = manager.addListener(on: eventLoop) { calls.record($0) }
            await session.report(.reachable)
            #expect(await calls.next()?.flags == .reachable)
            let submitted = DispatchSemaphore(value: 0)
            let ended = eventLoop.submit {
                submitted.wait()
                if byCancel { listener.cancel() } else { manager.stopMonitoring() }
            }
            await session.report([])
            submitted.signal()
            try await ended.get()
            try await eventLoop.submit {}.get()
            #expect(calls.values.count == 1)
        }

        @Test("a listener that is cancelled is released")
        func release() async {
            final class Token: Sendable {}
            let manager = NetworkReachabilityManager()
            weak var token: Token?
            do {
                let strong = Token()
                token = strong
                manager.addListener(on: eventLoop) { _ in _ = strong }.cancel()
            }
            #expect(token == nil)
        }
    }

    @Suite("Socket addresses")
    struct SocketAddressTests {
        @Test("there and back", arguments: ["192.0.2.1", "2001:db8::1", "fe80::1%1"])
        func roundTrip(text: String) throws {
            let address = try NetworkAddress(text)
            let socketAddress = SocketAddress(address, port: 8080)
            #expect(socketAddress.port == 8080)
            #expect(try NetworkAddress(socketAddress) == address)
            #expect(try ReachabilityTarget.address(socketAddress) == .address(address))
            #expect(SocketAddress(.address(address), port: 8080) == socketAddress)
        }

        @Test("as NIO writes them")
        func equal() throws {
            #expect(
                SocketAddress(try NetworkAddress("192.0.2.1"), port: 65535)
                    == (try SocketAddress(ipAddress: "192.0.2.1", port: 65535)))
            #expect(
                SocketAddress(try NetworkAddress("2001:db8::1"), port: 0)
                    == (try SocketAddress(ipAddress: "2001:db8::1", port: 0)))
        }

        @Test("pairs, and targets without an address")
        func targets() throws {
            let local = try SocketAddress(ipAddress: "192.0.2.1", port: 1)
            let remote = try SocketAddress(ipAddress: "192.0.2.2", port: 2)
            let pair = try ReachabilityTarget.addressPair(local: local, remote: remote)
            #expect(pair.description == "192.0.2.1 -> 192.0.2.2")
            #expect(SocketAddress(pair, port: 2) == remote)
            let half = try ReachabilityTarget.addressPair(local: local, remote: nil)
            #expect(SocketAddress(half, port: 2) == nil)
            #expect(SocketAddress(.internet, port: 2) == nil)
            #expect(SocketAddress(try .domain("www.example.com"), port: 2) == nil)
        }

        @Test("a Unix domain socket has none")
        func unixDomainSocket() throws {
            let address = try SocketAddress(unixDomainSocketPath: "/run/socket")
            let error = #expect(throws: ReachabilityError.self) { try NetworkAddress(address) }
            #expect(error?.code == .unsupportedFamily)
        }
    }
#endif
