// SPDX-License-Identifier: MIT
import AsyncHTTPClient
import Foundation
import FoundationNetworking
import MetricsTestKit
import NIOCore
import NIOPosix
import NetworkReachability
import NetworkReachabilityTesting
import ReachabilityConnectivity
import Synchronization
import Testing

@testable import Recipes

@Suite("Recipes that follow the path", .timeLimit(.minutes(10)))
struct PathTests {
    /// A client that a test recognizes by its number.
    private struct Client: Sendable {
        let number: Int
    }

    @Test("A new path gets a new client, and the previous one is closed after its last use")
    func clientPerPath() async throws {
        let network = try SimulatedReachability()
        let made = Mutex(0)
        let (closed, close) = AsyncStream<Int>.makeStream()
        let clients = ClientPerPath {
            made.withLock { made in
                made += 1
                return Client(number: made)
            }
        } close: {
            close.yield($0.number)
        }
        network.setOnline(over: .wifi)
        let follow = Task { try await clients.follow(network.manager) }
        let (begun, begin) = AsyncStream<Void>.makeStream()
        let (ended, end) = AsyncStream<Void>.makeStream()
        let request = Task {
            await clients.use { client in
                begin.finish()
                for await _ in ended {}
                return client.number
            }
        }
        for await _ in begun {}
        // An outage isn't a new path, but its end is. The follower begins at some time.
        while made.withLock({ $0 }) < 2 {
            network.setOffline()
            network.setOnline(over: .wifi)
            try await Task.sleep(for: .milliseconds(1))
        }
        end.finish()
        #expect(await request.value == 1)
        var numbers = closed.makeAsyncIterator()
        while let number = await numbers.next(), number != 1 {}
        follow.cancel()
        try await follow.value
        #expect(await clients.use { $0.number } >= 2)
    }

    /// Answers each request, and reports when a connection is opened and closed.
    private final class Answer: ChannelInboundHandler, Sendable {
        typealias InboundIn = ByteBuffer
        typealias OutboundOut = ByteBuffer
        let events: AsyncStream<String>.Continuation

        init(_ events: AsyncStream<String>.Continuation) {
            self.events = events
        }

        func channelActive(context: ChannelHandlerContext) { events.yield("opened") }

        func channelInactive(context: ChannelHandlerContext) { events.yield("closed") }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            let text = "HTTP/1.1 204 No Content\r\n\r\n"
            context.writeAndFlush(wrapOutboundOut(ByteBuffer(string: text)), promise: nil)
        }
    }

    private func serve(
        _ events: AsyncStream<String>.Continuation
    ) async throws -> (channel: any Channel, url: String) {
        let channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { $0.pipeline.addHandler(Answer(events)) }
            .bind(host: "127.0.0.1", port: 0).get()
        let port = try #require(channel.localAddress?.port)
        return (channel, "http://127.0.0.1:\(port)/generate_204")
    }

    @Test("A pooled connection of AsyncHTTPClient is closed when the path changes")
    func asyncHTTPClient() async throws {
        let (events, continuation) = AsyncStream<String>.makeStream()
        let (server, url) = try await serve(continuation)
        let network = try SimulatedReachability()
        network.setOnline(over: .wifi)
        let follow = Task { try await clients.follow(network.manager) }
        var next = events.makeAsyncIterator()
        func request() async throws {
            let response = try await clients.use {
                try await $0.execute(HTTPClientRequest(url: url), timeout: .seconds(60))
            }
            #expect(response.status == .noContent)
        }
        for _ in 0..<2 { try await request() }
        #expect(await next.next() == "opened")
        // Both requests used the connection, which is idle now. Nothing else closes it within the
        // pool's minute.
        let moves = Task {
            // The follower begins at some time.
            while !Task.isCancelled {
                network.setOnline(over: .cellular)
                network.setOnline(over: .wifi)
                try? await Task.sleep(for: .milliseconds(1))
            }
        }
        #expect(await next.next() == "closed")
        moves.cancel()
        await moves.value
        try await request()
        #expect(await next.next() == "opened")
        follow.cancel()
        try await follow.value
        try await server.close()
    }

    /// Fails two requests as a server that refuses them, and answers the next.
    private final class Refusals: URLProtocol {
        static let tries = Mutex(0)
        static let events = Mutex<AsyncStream<Int>.Continuation?>(nil)

        override class func canInit(with request: URLRequest) -> Bool { true }

        override class func canonicalRequest(for request: URLRequest) -> URLRequest { request }

        override func startLoading() {
            let number = Self.tries.withLock { tries in
                tries += 1
                return tries
            }
            let response = request.url.flatMap {
                HTTPURLResponse(url: $0, statusCode: 204, httpVersion: nil, headerFields: nil)
            }
            if number > 2, let response {
                client?.urlProtocol(self, didReceive: response, cacheStoragePolicy: .notAllowed)
                client?.urlProtocolDidFinishLoading(self)
            } else {
                client?.urlProtocol(self, didFailWithError: URLError(.cannotConnectToHost))
            }
            _ = Self.events.withLock { $0 }?.yield(number)
        }

        override func stopLoading() {}
    }

    @Test("URLSession sends once the network is up, and again over each new path")
    func waiting() async throws {
        let (events, continuation) = AsyncStream<Int>.makeStream()
        Refusals.events.withLock { $0 = continuation }
        let configuration = URLSessionConfiguration.ephemeral
        configuration.protocolClasses = [Refusals.self]
        let session = URLSession(configuration: configuration)
        let network = try SimulatedReachability()
        network.setOffline()
        let request = URLRequest(url: try #require(URL(string: "http://192.0.2.1/")))
        let answer = Task { try await session.waitingData(for: request, over: network.manager) }
        var next = events.makeAsyncIterator()
        network.setOnline(over: .wifi)
        #expect(await next.next() == 1)
        for number in 2...3 {
            // The request waits for one of these, from some time on.
            let moves = Task {
                while !Task.isCancelled {
                    network.setOnline(over: .cellular)
                    network.setOnline(over: .wifi)
                    try? await Task.sleep(for: .milliseconds(1))
                }
            }
            #expect(await next.next() == number)
            moves.cancel()
            await moves.value
        }
        #expect((try await answer.value.1 as? HTTPURLResponse)?.statusCode == 204)
    }

    @Test("The errors of connections that could not be opened are recognized")
    func unsent() async throws {
        let (_, continuation) = AsyncStream<String>.makeStream()
        let (server, url) = try await serve(continuation)
        // Connections to its port are refused from now on.
        try await server.close()
        for url in [url, "http://nosuch.invalid/"] {
            let url = try #require(URL(string: url))
            let error = await #expect(throws: URLError.self) {
                try await URLSession(configuration: .ephemeral).data(from: url)
            }
            #expect(error?.hasSentNothing == true)
        }
    }

    @Test("A connection is closed when its path is gone")
    func connection() async throws {
        let network = try SimulatedReachability()
        network.setOnline()
        try network.manager.startMonitoring()
        let group = MultiThreadedEventLoopGroup.singleton
        let server = try await ServerBootstrap(group: group).bind(host: "127.0.0.1", port: 0).get()
        let address = try #require(server.localAddress)
        let channel = try await ClientBootstrap(group: group).connect(to: address).get()
        close(channel, whenGone: network.manager)
        network.setOffline()
        try await channel.closeFuture.get()
        try await server.close()
    }

    private struct Failure: Error {}

    @Test("A retry starts when the network is back or after a pause, and the last error is thrown")
    func retries() async throws {
        let network = try SimulatedReachability()
        let attempts = Mutex(0)
        let (tries, attempt) = AsyncStream<Int>.makeStream()
        let result = Task {
            try await retrying(over: network.manager, pause: .zero, stable: .milliseconds(1)) {
                let number = attempts.withLock { number in
                    number += 1
                    return number
                }
                attempt.yield(number)
                guard number > 2 else { throw Failure() }
                return number
            }
        }
        var numbers = tries.makeAsyncIterator()
        #expect(await numbers.next() == 1)
        network.setOnline()
        #expect(try await result.value == 3)
        await #expect(throws: Failure.self) {
            try await retrying(over: network.manager, attempts: 2, pause: .zero) { throw Failure() }
        }
    }

    @Test("Parts of an upload wait while the network is expensive or unreachable")
    func uploads() async throws {
        let network = try SimulatedReachability()
        network.setOnline(over: .cellular)
        let (sent, send) = AsyncStream<Int>.makeStream()
        let task = Task {
            try await upload(1...3, over: network.manager) { part in
                #expect(!network.manager.snapshot.isExpensive)
                send.yield(part)
                if part == 2 { network.setOffline() }
            }
        }
        var parts = sent.makeAsyncIterator()
        network.setOnline(over: .wifi)
        #expect(await parts.next() == 1)
        #expect(await parts.next() == 2)
        network.setOnline(over: .wifi, isMetered: true)
        await network.flush()
        #expect(try network.manager.currentSnapshot().isExpensive)
        network.setOnline(over: .wifi, isMetered: false)
        #expect(await parts.next() == 3)
        try await task.value
    }

    @Test("Probes are counted by their results, and timed by their phases")
    func probes() async throws {
        let metrics = TestMetrics()
        let levels = Mutex([ConnectivityLevel.limited, .portal(url: "http://x.example/1"), .full])
        var options = ConnectivityOptions()
        options.retryInterval = .milliseconds(10)
        options.interval = .milliseconds(10)
        let monitor = try ConnectivityMonitor(
            target: .address("127.0.0.1"),
            probe: .custom { _ in
                levels.withLock { $0.count > 1 ? $0.removeFirst() : $0.first ?? .full }
            }, options: options)
        let task = Task { await ConnectivityReporter(monitor, name: "api", metrics: metrics).run() }
        func count(_ result: String) -> Int64? {
            try? metrics.expectCounter(
                "network_connectivity_probes", [("monitor", "api"), ("result", result)]
            ).totalValue
        }
        while count("full") ?? 0 < 2 { try await Task.sleep(for: .milliseconds(5)) }
        task.cancel()
        await task.value
        #expect(count("limited") ?? 0 <= 1 && count("portal") ?? 0 <= 1)
        let timer = try metrics.expectTimer(
            "network_connectivity_probe_duration", [("monitor", "api"), ("phase", "all")])
        #expect(timer.values.count >= 2)
    }

    @Test("An HTTP probe is timed by its phases")
    func phases() async throws {
        let (_, continuation) = AsyncStream<String>.makeStream()
        let (server, url) = try await serve(continuation)
        let metrics = TestMetrics()
        let monitor = try ConnectivityMonitor(target: .address("127.0.0.1"), probe: .http(url))
        let task = Task { await ConnectivityReporter(monitor, name: "api", metrics: metrics).run() }
        func values(_ phase: String) -> [Int64] {
            let timer = try? metrics.expectTimer(
                "network_connectivity_probe_duration", [("monitor", "api"), ("phase", phase)])
            return timer?.values ?? []
        }
        while values("all").isEmpty { try await Task.sleep(for: .milliseconds(5)) }
        task.cancel()
        await task.value
        #expect(
            try metrics.expectCounter(
                "network_connectivity_probes", [("monitor", "api"), ("result", "full")]
            ).totalValue == 1)
        let parts = ["connect", "headers"].flatMap(values)
        #expect(parts.count == 2 && parts.reduce(0, +) <= values("all")[0])
        #expect(values("name").isEmpty && values("tls").isEmpty)
        try await server.close()
    }
}
