// SPDX-License-Identifier: MIT
import NIOCore
import NIOPosix
import NetworkReachability
import NetworkReachabilityTesting
import Testing

@testable import Recipes

@Suite("Callbacks on an event loop", .timeLimit(.minutes(10)))
struct EventLoopTests {
    let eventLoop = MultiThreadedEventLoopGroup.singleton.next()

    @Test("A listener runs on the event loop, in order")
    func order() async throws {
        let network = try SimulatedReachability()
        let (statuses, continuation) = AsyncStream<NetworkReachabilityStatus>.makeStream()
        let listener = network.manager.addListener(on: eventLoop) { [eventLoop] snapshot in
            eventLoop.preconditionInEventLoop()
            continuation.yield(snapshot.status)
        }
        try network.manager.startMonitoring()
        for interfaceClass: NetworkInterfaceClass in [.wifi, .cellular] {
            network.setOnline(over: interfaceClass)
            network.setOffline()
        }
        await network.flush()
        try await eventLoop.submit { continuation.finish() }.get()
        var all: [NetworkReachabilityStatus] = []
        for await status in statuses { all.append(status) }
        #expect(
            all == [
                .notReachable, .reachableViaWiFi, .notReachable, .reachableViaWWAN, .notReachable,
            ])
        listener.cancel()
    }

    /// Yields the text that it reads.
    private final class Reader: ChannelInboundHandler, Sendable {
        typealias InboundIn = ByteBuffer
        let received: AsyncStream<String>.Continuation

        init(_ received: AsyncStream<String>.Continuation) {
            self.received = received
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            received.yield(String(buffer: unwrapInboundIn(data)))
        }
    }

    @Test("Data that a client sends while the backend is unreachable is read once it is reachable")
    func backPressure() async throws {
        let network = try SimulatedReachability()
        try network.manager.startMonitoring()
        let (texts, received) = AsyncStream<String>.makeStream()
        let (accepted, accept) = AsyncStream<any Channel>.makeStream()
        let server = try await ServerBootstrap(group: eventLoop)
            .childChannelOption(.autoRead, value: false)
            .childChannelInitializer { channel in
                pauseReading(from: channel, whileUnreachable: network.manager)
                accept.yield(channel)
                return channel.pipeline.addHandler(Reader(received))
            }
            .bind(host: "127.0.0.1", port: 0).get()
        let address = try #require(server.localAddress)
        let client = try await ClientBootstrap(group: eventLoop).connect(to: address).get()
        try await client.writeAndFlush(ByteBuffer(string: "early"))
        var channels = accepted.makeAsyncIterator()
        let channel = try #require(await channels.next())
        await network.flush()
        #expect(try await channel.getOption(.autoRead).get() == false)

        network.setOnline()
        var iterator = texts.makeAsyncIterator()
        #expect(await iterator.next() == "early")
        #expect(try await channel.getOption(.autoRead).get())
        network.setOffline()
        await network.flush()
        #expect(try await channel.getOption(.autoRead).get() == false)
        try await client.close()
        try await server.close()
    }

    @Test("A snapshot converts to NIO's addresses, and a channel's addresses to a target")
    func addresses() async throws {
        let network = try SimulatedReachability(target: .domain("www.example.com"))
        network.setNameResolved(to: [
            try NetworkAddress("192.0.2.1"), try NetworkAddress("2001:db8::1"),
        ])
        network.setOnline()
        #expect(
            try endpoints(of: network.manager.currentSnapshot(), port: 443) == [
                try SocketAddress(ipAddress: "192.0.2.1", port: 443),
                try SocketAddress(ipAddress: "2001:db8::1", port: 443),
            ])

        let server = try await ServerBootstrap(group: eventLoop).bind(host: "127.0.0.1", port: 0)
            .get()
        let address = try #require(server.localAddress)
        let client = try await ClientBootstrap(group: eventLoop).connect(to: address).get()
        #expect(try target(of: client)?.description == "127.0.0.1 -> 127.0.0.1")
        try await client.close()
        try await server.close()
    }
}
